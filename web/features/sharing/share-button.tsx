import { Check, Share2, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { shareAddress, useCreateShare } from '../../data/shares.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { deliverLink, type LinkDelivery } from './deliver-link.ts'
import { ShareLinkDialog } from './share-link-dialog.tsx'

/** How long the outcome is shown. */
const feedbackMs = 2000

type Feedback = Exclude<LinkDelivery, 'cancelled'>

const labels: Readonly<Record<Feedback, string>> = {
  copied: 'Copied to clipboard!',
  shared: 'Shared',
  failed: 'Not shared',
}

export interface ShareButtonProps {
  readonly chatId: string
  readonly messageId: string
}

/**
 * Shares the chat up to a message, and shows the outcome for two seconds. A link that cannot be copied is shown.
 */
export function ShareButton({ chatId, messageId }: ShareButtonProps) {
  const createShare = useCreateShare(chatId)
  const [busy, setBusy] = useState(false)
  const [feedback, setFeedback] = useState<Feedback>()
  const [uncopied, setUncopied] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const share = async () => {
    setBusy(true)
    const created = await createShare.run(messageId)
    const address = created.done ? shareAddress(created.answer.shareId) : undefined
    const outcome = address === undefined ? 'failed' : await deliverLink(address)
    setBusy(false)
    clearTimeout(timer.current)
    // The link exists, and everyone who has it can read the chat, so 'Not shared' would be wrong.
    const isUncopied = address !== undefined && outcome === 'failed'
    setUncopied(isUncopied ? address : undefined)
    setFeedback(isUncopied || outcome === 'cancelled' ? undefined : outcome)
    timer.current = setTimeout(() => setFeedback(undefined), feedbackMs)
  }

  return (
    <span className="relative inline-flex">
      <IconButton
        label="Share"
        size="small"
        aria-disabled={busy || undefined}
        onClick={() => {
          if (!busy) void share()
        }}
      >
        <FeedbackIcon feedback={feedback} />
      </IconButton>
      {/* Floats over the text, so that neither the buttons nor the lines below move. */}
      <output className="pointer-events-none absolute right-0 bottom-full mb-1 whitespace-nowrap">
        {feedback !== undefined && (
          <span className="block animate-appear rounded-control bg-ink px-2 py-1 text-page">
            {labels[feedback]}
          </span>
        )}
      </output>
      {uncopied !== undefined && (
        <ShareLinkDialog address={uncopied} onClose={() => setUncopied(undefined)} />
      )}
    </span>
  )
}

function FeedbackIcon({ feedback }: { readonly feedback: Feedback | undefined }) {
  if (feedback === undefined) return <Share2 size={16} aria-hidden />
  return feedback === 'failed' ? <X size={16} aria-hidden /> : <Check size={16} aria-hidden />
}
