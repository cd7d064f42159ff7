import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { FileCard, isFileHere } from './file-card.tsx'
import { StoredPicture } from './stored-picture.tsx'
import { PictureViewer } from './viewer-dialog.tsx'

/** The maximum heights of a picture, alone and beside others, in rem. */
const maxSingleRem = 18
const maxRowRem = 9

export interface FileGalleryProps {
  readonly files: readonly FileRef[]
  readonly align: 'start' | 'end'
}

/** The pictures of a message, which a click opens, and its other files, which can be downloaded. */
export function FileGallery({ files, align }: FileGalleryProps) {
  const [shown, setShown] = useState<number>()
  const isShown = (file: FileRef) => isPicture(file.type) && isFileHere(file)
  const pictures = files.filter(isShown)
  const others = files.filter((file) => !isShown(file))
  return (
    <ul
      aria-label="Files"
      className={classNames('flex max-w-full flex-wrap items-end gap-2', align === 'end' && 'justify-end')}
    >
      {pictures.map(({ id, name, alt, width, height }, index) => (
        <li key={id} className="max-w-full">
          <StoredPicture
            id={id}
            label={alt ?? name}
            width={width}
            height={height}
            maxRem={pictures.length === 1 ? maxSingleRem : maxRowRem}
            onOpen={() => setShown(index)}
          />
        </li>
      ))}
      {others.map((file, index) => (
        // Without ids, as in a shared chat, several can have one name.
        <li key={file.id || index} className="max-w-full">
          <FileCard file={file} />
        </li>
      ))}
      {shown !== undefined && (
        <PictureViewer pictures={pictures} initial={shown} onClose={() => setShown(undefined)} />
      )}
    </ul>
  )
}
