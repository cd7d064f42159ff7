import type { FileRef, Message } from '@yonder/contract/message'
import { filesOfContent } from '@yonder/contract/message-text'
import type { ResultPart } from '@yonder/contract/tool-call'
import { useState } from 'react'
import { AudioCard, FileCard } from '../../files/file-card.tsx'
import { StoredPicture } from '../../files/stored-picture.tsx'
import { PictureViewer } from '../../files/viewer-dialog.tsx'

/** The maximum height of an image, in rem. */
const maxImageRem = 28

export interface ResultFilesProps {
  readonly result: Message
  /** The title of the tool, which names its images. */
  readonly title: string
  /** The name of the connector. */
  readonly server: string
}

/** The files of a result, which are shown also while the details of the call are closed. */
export function ResultFiles({ result, title, server }: ResultFilesProps) {
  const [shown, setShown] = useState<number>()
  const parts: readonly ResultPart[] = result.outcome?.parts ?? []
  const images = parts.filter((part) => part.type === 'image')
  const others = parts.filter((part) => part.type === 'audio' || part.type === 'file')
  if (images.length + others.length === 0) return null
  const files = filesOfContent(result.content)
  const labelOf = (index: number) =>
    images.length === 1 ? `Image from ${title}` : `Image ${index + 1} of ${images.length} from ${title}`
  const refOf = (id: string, name: string): FileRef =>
    files.find((file) => file.id === id) ?? { id, name, type: 'application/octet-stream', size: 0 }
  return (
    <div className="flex flex-col items-start gap-2 px-3 pt-1 pb-3">
      {images.map(({ file, width, height }, index) => (
        <StoredPicture
          key={file}
          id={file}
          label={labelOf(index)}
          width={width}
          height={height}
          maxRem={maxImageRem}
          onOpen={() => setShown(index)}
        />
      ))}
      {others.map(({ type, file }) =>
        type === 'audio' ? (
          <AudioCard key={file} file={refOf(file, 'Sound')} from={server} />
        ) : (
          <FileCard key={file} file={refOf(file, 'File')} from={server} />
        ),
      )}
      {shown !== undefined && (
        <PictureViewer
          pictures={images.map(({ file }, index) => ({
            ...refOf(file, labelOf(index)),
            alt: labelOf(index),
          }))}
          initial={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </div>
  )
}
