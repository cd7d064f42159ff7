import type { FileRef } from '@yonder/contract/message'
import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useDownload, useStoredFile } from '../../data/files.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { useKeepMounted } from '../../lib/keep-mounted.ts'
import { Button } from '../../ui/button/button.tsx'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { useBackdropClick, useModal } from '../../ui/dialog/dialog-layer.ts'
import { Spinner } from '../../ui/states/progress.tsx'

export interface PictureViewerProps {
  readonly pictures: readonly Pick<FileRef, 'id' | 'name' | 'alt'>[]
  /** The index of the picture that is shown first. */
  readonly initial: number
  readonly onClose: () => void
}

/** Shows pictures over the page, one at a time. The arrow keys show the one before and after. */
export function PictureViewer({ pictures, initial, onClose }: PictureViewerProps) {
  const download = useDownload()
  const dialog = useRef<HTMLDialogElement>(null)
  const [index, setIndex] = useState(initial)
  const backdrop = useBackdropClick(onClose)
  useModal(dialog)
  useKeepMounted()
  const picture = pictures[index]
  const go = (step: number) => setIndex(Math.min(Math.max(0, index + step), pictures.length - 1))
  if (picture === undefined) return null
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={picture.name}
      data-covers-page
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') go(-1)
        else if (key === 'ArrowRight') go(1)
      }}
      className="fixed inset-0 m-0 size-full max-h-none max-w-none overflow-hidden bg-page text-ink flex-col open:flex"
    >
      <header className="flex h-header shrink-0 items-center gap-2 pr-2 pl-4">
        <p className="min-w-0 flex-1 truncate text-sm">
          <bdi className="font-medium">{picture.name}</bdi>
        </p>
        {pictures.length > 1 && (
          <span className="flex items-center text-sm text-muted tabular-nums">
            <Step label="Previous picture" disabled={index === 0} onPress={() => go(-1)}>
              <ChevronLeft size={18} aria-hidden />
            </Step>
            <output>
              {index + 1} of {pictures.length}
            </output>
            <Step label="Next picture" disabled={index === pictures.length - 1} onPress={() => go(1)}>
              <ChevronRight size={18} aria-hidden />
            </Step>
          </span>
        )}
        <IconButton label="Download" onClick={() => void download(picture)}>
          <Download size={18} aria-hidden />
        </IconButton>
        <IconButton label="Close" shortcut="escape" data-initial-focus onClick={onClose}>
          <X size={18} aria-hidden />
        </IconButton>
      </header>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- Escape does the same */}
      <div {...backdrop} className="flex min-h-0 flex-1 items-center justify-center px-4 pb-4 sm:px-6">
        <Picture key={picture.id} picture={picture} />
      </div>
      {picture.alt !== undefined && picture.alt !== picture.name && (
        <p dir="auto" className="mx-auto max-h-40 max-w-column overflow-y-auto px-4 pb-4 text-sm text-muted">
          {picture.alt}
        </p>
      )}
    </dialog>,
    document.body,
  )
}

function Picture({
  picture: { id, name, alt },
}: {
  readonly picture: PictureViewerProps['pictures'][number]
}) {
  const { file, error, isLoading, retry } = useStoredFile(id)
  if (file !== undefined)
    return (
      <img
        src={file.url}
        alt={alt ?? name}
        className="max-h-full max-w-full rounded-control object-contain"
      />
    )
  if (error === undefined) return <Spinner label="Loading the picture" size={22} />
  return (
    <div className="flex flex-col items-center gap-3 text-center text-sm">
      <p>The picture could not be loaded. {readReason(error)}</p>
      <Button size="small" busy={isLoading} onClick={retry}>
        Try again
      </Button>
    </div>
  )
}

interface StepProps {
  readonly label: string
  readonly disabled: boolean
  readonly onPress: () => void
  readonly children: ReactNode
}

/** Not `disabled`, with which the button would lose the focus at the first and the last picture. */
function Step({ label, disabled, onPress, children }: StepProps) {
  return (
    <IconButton label={label} aria-disabled={disabled || undefined} onClick={onPress}>
      {children}
    </IconButton>
  )
}
