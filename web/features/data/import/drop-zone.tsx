import { FileArchive } from 'lucide-react'
import { useMediaQuery } from '../../../lib/use-media-query.ts'
import { classNames } from '../../../ui/class-names.ts'
import { FilePicker } from './file-picker.tsx'

export interface DropZoneProps {
  /** Whether files are dragged over the page. */
  readonly isOver: boolean
  readonly onChoose: (files: readonly File[]) => void
}

/** Where an import begins. Files may be dropped anywhere on the page. */
export function DropZone({ isOver, onChoose }: DropZoneProps) {
  const canDrop = useMediaQuery('(pointer: fine)')
  return (
    <div
      className={classNames(
        'flex min-h-32 flex-col items-center justify-center gap-1 rounded-card border border-dashed px-4 py-6 text-center text-sm transition-colors',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
      )}
    >
      <FileArchive size={20} aria-hidden className="mb-1 text-muted" />
      <p className="font-medium">
        {isOver ? 'Drop to look into it' : canDrop ? 'Drop an export here' : 'Bring in an export'}
      </p>
      <p className="text-balance text-muted">
        {isOver
          ? 'Nothing is imported yet'
          : 'From ChatGPT, Claude, Open WebUI, LibreChat or Yonder: ZIP or JSON, as you got it'}
      </p>
      <div className={classNames('mt-3', isOver && 'invisible')}>
        <FilePicker onChoose={onChoose}>Choose files</FilePicker>
      </div>
    </div>
  )
}
