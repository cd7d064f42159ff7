import { ScrollText } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../../ui/button/icon-button.tsx'

/** Loaded when it is opened for the first time. */
const PromptDialog = lazy(() =>
  import('./prompt-dialog.tsx').then((module) => ({ default: module.PromptDialog })),
)

export interface PromptButtonProps {
  readonly chatId: string
  /** The id of the reply. */
  readonly messageId: string
}

/** A button that shows what the model was given for a reply. */
export function PromptButton({ chatId, messageId }: PromptButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label="What the model was given" size="small" onClick={() => setOpen(true)}>
        <ScrollText size={16} aria-hidden />
      </IconButton>
      {isOpen && (
        <Suspense>
          <PromptDialog chatId={chatId} messageId={messageId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
