import { Check, Share2, X } from 'lucide-react'
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { shareAddress, useCreateShare, useShareFiles } from '../../data/shares.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { toast } from '../../lib/toasts.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { placeTooltip } from '../../ui/tooltip/tooltip.tsx'
import { deliverLink } from './deliver-link.ts'
import { ShareLinkDialog } from './share-link-dialog.tsx'

/** How long it is shown that a chat was shared. A failure is shown until the user does something else. */
const feedbackMs = 2000

const labels = { copied: 'Copied to clipboard!', shared: 'Shared' } as const

export interface ShareButtonProps {
  readonly chatId: string
  readonly messageId: string
}

/** Shares the chat up to a message, and shows the outcome at the button. A link that cannot be copied is shown. */
export function ShareButton({ chatId, messageId }: ShareButtonProps) {
  const createShare = useCreateShare(chatId)
  const shareFiles = useShareFiles()
  const anchor = useRef<HTMLSpanElement>(null)
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState<keyof typeof labels>()
  /** Why the chat was not shared. */
  const [problem, setProblem] = useState<string>()
  const [uncopied, setUncopied] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useNextAction(problem !== undefined, () => setProblem(undefined))

  const share = async () => {
    setBusy(true)
    clearTimeout(timer.current)
    setDone(undefined)
    const created = await createShare.run(messageId)
    if (created.done) {
      const { shareId: id, files } = created.answer
      const address = shareAddress(id)
      const outcome = await deliverLink(address)
      // The link exists, and everyone who has it can read the chat, so 'Not shared' would be wrong.
      if (outcome === 'failed') setUncopied(address)
      else if (outcome !== 'cancelled') {
        setDone(outcome)
        if (files?.shared === false)
          toast.success(describeFiles(files.count), {
            label: files.count === 1 ? 'Share the file too' : 'Share the files too',
            run: () => void shareFiles.run({ id, files: true }),
          })
        timer.current = setTimeout(() => setDone(undefined), feedbackMs)
      }
    } else setProblem(created.error === undefined ? 'You were signed out.' : readReason(created.error))
    setBusy(false)
  }

  return (
    <span ref={anchor} className="inline-flex">
      <IconButton
        label="Share"
        size="small"
        aria-disabled={busy || undefined}
        onClick={() => {
          if (!busy) void share()
        }}
      >
        {problem !== undefined ? (
          <X size={16} aria-hidden />
        ) : done !== undefined ? (
          <Check size={16} aria-hidden />
        ) : (
          <Share2 size={16} aria-hidden />
        )}
      </IconButton>
      <output>
        {problem !== undefined && <Feedback anchor={anchor}>Not shared. {problem}</Feedback>}
        {done !== undefined && <Feedback anchor={anchor}>{labels[done]}</Feedback>}
      </output>
      {uncopied !== undefined && (
        <ShareLinkDialog address={uncopied} onClose={() => setUncopied(undefined)} />
      )}
    </span>
  )
}

function describeFiles(count: number): string {
  return count === 1
    ? 'Visitors see only the name of the file in this chat.'
    : `Visitors see only the names of the ${count} files in this chat.`
}

/** Calls `onAction` at the next press of a key or a pointer, wherever it is, while `isWaiting`. */
function useNextAction(isWaiting: boolean, onAction: () => void): void {
  const handleAction = useEffectEvent(onAction)
  useEffect(() => {
    if (!isWaiting) return
    const handle = () => handleAction()
    document.addEventListener('keydown', handle, true)
    document.addEventListener('pointerdown', handle, true)
    return () => {
      document.removeEventListener('keydown', handle, true)
      document.removeEventListener('pointerdown', handle, true)
    }
  }, [isWaiting])
}

interface FeedbackProps {
  readonly anchor: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/**
 * A text at the button. As a popover it moves no line, fits into the window, and stays visible when the pointer has left
 * the message and its buttons disappear.
 */
function Feedback({ anchor, children }: FeedbackProps) {
  const bubble = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (bubble.current === null || anchor.current === null) return
    bubble.current.showPopover?.()
    placeTooltip(bubble.current, anchor.current)
  }, [anchor])
  return (
    <span
      ref={bubble}
      popover="manual"
      className="pointer-events-none fixed inset-auto m-0 max-w-floating animate-appear bg-transparent py-1.5"
    >
      <span className="block rounded-control bg-ink px-2 py-1 text-xs text-page">{children}</span>
    </span>
  )
}
