import type { Message } from '@yonder/contract/message'
import { RefreshCw } from 'lucide-react'
import { use } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { MessageActionsContext } from './message-context.ts'

/** Why a reply is incomplete (§8.7), with a button that requests another one (§14.4, §14.11). */
export function ReplyOutcome({ message }: { readonly message: Message }) {
  if (message.status === 'failed')
    return (
      <div className="flex flex-col items-start gap-2">
        <p
          dir="auto"
          className="w-full rounded-card bg-danger-soft px-4 py-3 text-sm leading-relaxed whitespace-pre-wrap"
        >
          <strong className="text-danger">Error:</strong> {message.error?.message ?? 'Unknown error occurred'}
        </p>
        <AnotherReply message={message} />
      </div>
    )
  const note = describeEnd(message)
  if (note === undefined) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="text-sm text-muted italic">{note}</p>
      {message.status !== 'complete' && <AnotherReply message={message} />}
    </div>
  )
}

function AnotherReply({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  if (actions === undefined) return null
  const { busy, regenerate } = actions
  return (
    <Button size="small" disabled={busy || regenerate === undefined} onClick={() => regenerate?.(message)}>
      <RefreshCw size={14} aria-hidden />
      Regenerate
    </Button>
  )
}

function describeEnd({ status, finish }: Message): string | undefined {
  switch (status) {
    case 'stopped':
      return 'Stopped.'
    case 'interrupted':
      return 'Interrupted: the server stopped before this reply was finished.'
    case 'complete':
      if (finish === undefined) return undefined
      return finish === 'length'
        ? 'Cut off at the length limit of the model.'
        : 'Cut off by the content filter of the provider.'
    case 'failed':
    case 'streaming':
      return undefined
  }
}
