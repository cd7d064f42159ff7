import type { FileRef } from '@yonder/contract/message'
import { useState } from 'react'
import { useStoredFile } from '../../../data/files.ts'
import { Skeleton } from '../../../ui/states/progress.tsx'
import { FileIcon } from '../../files/file-icon.tsx'
import { isLocal } from './upload-state.ts'

interface ThumbnailProps {
  readonly file: FileRef
  /** The address of the file on this page, while it is not stored. */
  readonly preview: string | undefined
  /** Whether all of it is shown. */
  readonly isWhole?: boolean
}

/** A small picture. One that the browser cannot show has the icon of its kind. */
export function Thumbnail({ file: { id, type, name }, preview, isWhole = false }: ThumbnailProps) {
  const { file, error } = useStoredFile(id, preview === undefined && !isLocal({ id }))
  const [broken, setBroken] = useState<string>()
  const url = preview ?? file?.url
  if (error !== undefined || (url !== undefined && url === broken))
    return (
      <span className="flex size-full items-center justify-center">
        <FileIcon type={type} name={name} />
      </span>
    )
  if (url === undefined) return <Skeleton />
  return (
    <img
      src={url}
      alt=""
      onError={() => setBroken(url)}
      className={isWhole ? 'size-full object-contain' : 'size-full object-cover'}
    />
  )
}
