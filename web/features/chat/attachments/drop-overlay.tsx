import { maxFilesPerMessage } from '@yonder/contract/lib/file-limits'
import { Upload } from 'lucide-react'
import { createPortal } from 'react-dom'
import { useFileSpace } from '../../../data/files.ts'
import { formatLimit } from '../../../lib/format-usage.ts'

/** Covers the page while files are dragged over it. */
export function DropOverlay() {
  const maxFile = useFileSpace(true)?.max_file
  const size = maxFile === undefined ? '' : ` of ${formatLimit(maxFile)}`
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-40 flex animate-appear items-center justify-center bg-pressed p-3">
      <div className="flex flex-col items-center gap-1 rounded-card border border-dashed border-accent bg-surface px-6 py-12 text-center text-sm shadow-float">
        <Upload size={20} aria-hidden className="mb-1 text-muted" />
        <p className="font-medium">Drop to attach</p>
        <p className="text-muted tabular-nums">
          Up to {maxFilesPerMessage} files{size}: pictures, PDF, Office, text, code
        </p>
      </div>
    </div>,
    document.body,
  )
}
