import type { FileRef, MessageContent } from '@yonder/contract/message'
import { filesOfContent } from '@yonder/contract/message-text'
import { lazy, Suspense } from 'react'
import type { FileGalleryProps } from './file-gallery.tsx'

const loadGallery = () => import('./file-gallery.tsx')

// Without its code, which may fail to load, the names of the files are shown.
const FileGallery = lazy(() =>
  loadGallery().then(
    (part) => ({ default: part.FileGallery }),
    () => ({ default: FileNames }),
  ),
)

/** Loads the code that shows files, before a chat that may contain some is drawn. */
export function preloadFiles(): void {
  loadGallery().catch(() => undefined)
}

/** The files that a message contains. Those of a tool's result are in `ResultFiles`. */
export function MessageFiles({
  content,
  align = 'start',
}: {
  readonly content: MessageContent
  readonly align?: FileGalleryProps['align']
}) {
  const files = filesOfContent(content)
  if (files.length === 0) return null
  return (
    <Suspense fallback={<FileNames files={files} />}>
      <FileGallery files={files} align={align} />
    </Suspense>
  )
}

function FileNames({ files }: { readonly files: readonly FileRef[] }) {
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-x-3 text-sm">
      {files.map(({ id, name }, index) => (
        <li key={id || index}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}
