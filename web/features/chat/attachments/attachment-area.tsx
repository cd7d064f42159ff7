import { lazy, Suspense } from 'react'
import type { AttachmentListProps } from './attachment-list.tsx'

// Without its code, which may fail to load, the names of the files are shown.
const AttachmentList = lazy(() =>
  import('./attachment-list.tsx').then(
    (part) => ({ default: part.AttachmentList }),
    () => ({ default: AttachmentNames }),
  ),
)

function AttachmentNames({ attachments: { files } }: AttachmentListProps) {
  return (
    <ul aria-label="Attached files" className="px-4 pt-2.5 text-sm">
      {files.map(({ id, name }) => (
        <li key={id}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}

export interface AttachmentAreaProps extends AttachmentListProps {
  /** Why the message was not sent. */
  readonly problem: string | undefined
}

/** The files above the text of a message that is being written, and how far they are for a screen reader. */
export function AttachmentArea({ problem, ...props }: AttachmentAreaProps) {
  const { files, uploading, failed } = props.attachments
  return (
    <>
      {files.length > 0 && (
        <Suspense fallback={<div className="min-h-14" />}>
          <AttachmentList {...props} />
        </Suspense>
      )}
      {problem !== undefined && (
        <p role="alert" className="px-4 pt-2 text-sm text-danger">
          {problem}
        </p>
      )}
      {/* Always on the page, because screen readers announce only what changes in a region. */}
      <output className="sr-only">{announce(files.length, uploading, failed.length)}</output>
    </>
  )
}

const count = (files: number) => (files === 1 ? 'one file' : `${files} files`)

function announce(files: number, uploading: number, failed: number): string {
  if (files === 0) return ''
  if (uploading > 0) return `Uploading ${count(uploading)}`
  return failed === 0 ? `Attached ${count(files)}` : `The upload of ${count(failed)} failed`
}
