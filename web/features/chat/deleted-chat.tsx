import { Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useRestoreChats } from '../../data/change-chats.ts'
import { isNotFound } from '../../lib/api/api-error.ts'
import { Button, buttonLooks, buttonShape, buttonSizes } from '../../ui/button/button.tsx'
import { classNames } from '../../ui/class-names.ts'

export interface DeletedChatProps {
  readonly chatId: string
  /** Whether it was deleted for good. */
  readonly isGone: boolean
  readonly onRestored: () => void
}

/** Shown in place of a chat that is deleted, perhaps while the page showed it, here or in another tab. */
export function DeletedChat({ chatId, isGone: isKnownGone, onRestored }: DeletedChatProps) {
  const restore = useRestoreChats()
  const [isBusy, setBusy] = useState(false)
  const [isLate, setLate] = useState(false)
  const isGone = isKnownGone || isLate
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The message input had the focus.
    if (document.activeElement === document.body) title.current?.focus()
  }, [])
  const restoreNow = async () => {
    setBusy(true)
    const result = await restore([chatId])
    setBusy(false)
    if (result.done) onRestored()
    else setLate(isNotFound(result.error))
  }
  return (
    <div
      role="alert"
      className="flex flex-1 flex-col items-center justify-center gap-2 px-6 py-12 text-center"
    >
      <Trash2 size={22} aria-hidden className="mb-1 text-muted" />
      <h2 ref={title} tabIndex={-1} className="text-sm font-medium outline-none">
        {isGone ? 'This chat was deleted for good' : 'This chat was deleted'}
      </h2>
      <p className="max-w-sm text-sm text-balance text-muted">
        {isGone ? 'It cannot be restored.' : 'It is in Recently deleted, and can be restored.'}
      </p>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        {!isGone && (
          <Button busy={isBusy} onClick={() => void restoreNow()}>
            Restore
          </Button>
        )}
        <Link to="/" className={classNames(buttonShape, buttonSizes.medium, buttonLooks.muted)}>
          New chat
        </Link>
      </div>
    </div>
  )
}
