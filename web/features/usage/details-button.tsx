import type { Message } from '@yonder/contract/message'
import { Info } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../../ui/button/icon-button.tsx'

/** Loaded when it is opened for the first time. */
const DetailsDialog = lazy(() =>
  import('./details-dialog.tsx').then((module) => ({ default: module.DetailsDialog })),
)

export interface DetailsButtonProps {
  readonly chatId: string
  /** The replies of a turn, oldest first. */
  readonly replies: readonly Message[]
}

/** A button that shows what a reply used and cost. */
export function DetailsButton({ chatId, replies }: DetailsButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label="Details" size="small" onClick={() => setOpen(true)}>
        <Info size={16} aria-hidden />
      </IconButton>
      {isOpen && (
        <Suspense>
          <DetailsDialog chatId={chatId} replies={replies} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
