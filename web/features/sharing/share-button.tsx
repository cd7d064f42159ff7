import { Check, Share2, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { shareAddress, useCreateShare } from '../../data/shares.ts'
import { logError } from '../../lib/log-error.ts'
import { CopyButton } from '../../ui/button/copy-button.tsx'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'

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

interface ShareLinkDialogProps {
  readonly address: string
  readonly onClose: () => void
}

/** Shows a link that the browser refused to copy. Some browsers copy it after another click, on 'Copy link'. */
function ShareLinkDialog({ address, onClose }: ShareLinkDialogProps) {
  return (
    <Dialog
      size="small"
      title="Shared"
      description="The browser did not allow the link to be copied. Copy it from here."
      onClose={onClose}
    >
      <div className="flex items-end gap-1 pt-4">
        <div className="min-w-0 flex-1">
          <Field label="Link">
            <TextInput readOnly value={address} onFocus={({ target }) => target.select()} />
          </Field>
        </div>
        <CopyButton title="Copy link" text={address} />
      </div>
    </Dialog>
  )
}

/** How a link was passed on; `cancelled` if the user closed the system's share dialog. */
type LinkDelivery = 'shared' | 'copied' | 'cancelled' | 'failed'

/** Passes a link to the system's share dialog if there is one, else to the clipboard. */
async function deliverLink(address: string): Promise<LinkDelivery> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ url: address })
      return 'shared'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled'
      // The browser refused, for instance because the click was too long ago. Try the clipboard instead.
    }
  }
  try {
    await navigator.clipboard.writeText(address)
    return 'copied'
  } catch (error) {
    logError('Copying failed', error)
    return 'failed'
  }
}
