import { Button } from '../../../ui/button/button.tsx'
import { LongText } from '../../../ui/long-text.tsx'

export interface UnsentNoteProps {
  readonly text: string
  readonly reason: string
  readonly onSendAgain: () => void
  /** Moves the text back into the input. */
  readonly onEdit: () => void
  readonly busy?: boolean
}

/** A message that did not reach the server, with its text and buttons to send it again or edit it (§10.21, §10.22). */
export function UnsentNote({ text, reason, onSendAgain, onEdit, busy = false }: UnsentNoteProps) {
  return (
    <div className="flex flex-col items-end gap-2">
      <div
        dir="auto"
        className="max-w-[85%] rounded-block border border-dashed border-danger px-4 py-2.5 leading-relaxed whitespace-pre-wrap sm:max-w-[75%]"
      >
        <LongText text={text} />
      </div>
      <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-sm">
        <span className="text-danger">Not sent. {reason}</span>
        <Button size="small" onClick={onSendAgain} busy={busy}>
          Send again
        </Button>
        <Button size="small" look="plain" onClick={onEdit}>
          Edit
        </Button>
      </div>
    </div>
  )
}
