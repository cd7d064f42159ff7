import type { MessageContent } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { describeFailure, isOutage, type Failure } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { useStore } from '../../../lib/store.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { MessageFiles } from '../../files/message-files.tsx'
import { TypedText } from '../message/typed-content.tsx'

export interface UnsentNoteProps {
  readonly content: MessageContent
  readonly failure: Failure
  /** Whether the message is sent without a click after an outage. */
  readonly isAutomatic?: boolean
  /** Whether the text is the page's denial of a tool call, which the user can discard but not edit. */
  readonly isDenial?: boolean
  readonly onSendAgain: () => void
  /** Moves the message back into the input, or discards a denial. */
  readonly onEdit: () => void
  /** Called when the note is removed while one of its buttons has the focus. */
  readonly onRemoved: () => void
  readonly busy?: boolean
}

/** A message that was not sent, with the reason and with buttons to send it again or edit it. */
export function UnsentNote({
  content,
  failure,
  isAutomatic = true,
  isDenial = false,
  onSendAgain,
  onEdit,
  onRemoved,
  busy = false,
}: UnsentNoteProps) {
  const text = textOfContent(content)
  const note = useFocusAfterRemoval<HTMLDivElement>(onRemoved)
  const connection = useStore(useApi().connection)
  const isWaiting =
    isAutomatic && isOutage(failure) && (connection === 'offline' || connection === 'unreachable')
  return (
    <div ref={note} className="flex flex-col items-end gap-2">
      <div className="flex max-w-[85%] flex-col gap-2 rounded-block border border-dashed border-danger px-4 py-2.5 sm:max-w-[75%]">
        <MessageFiles content={content} />
        {text !== '' && <TypedText text={text} />}
      </div>
      <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-sm">
        <span className="text-danger">Not sent. {describeFailure(failure, connection !== 'offline')}</span>
        {isWaiting && <span className="text-muted">It will be sent when the connection is back.</span>}
        <Button size="small" onClick={onSendAgain} busy={busy}>
          Send again
        </Button>
        <Button
          size="small"
          look="plain"
          aria-disabled={busy || undefined}
          onClick={busy ? undefined : onEdit}
        >
          {isDenial ? 'Discard' : 'Edit'}
        </Button>
      </div>
    </div>
  )
}
