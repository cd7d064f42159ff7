import type { Message } from '@yonder/contract/message'

/** How a reply ended, when it did not simply end: with an error (§8.7), stopped, cut. */
export function ReplyOutcome({ message }: { readonly message: Message }) {
  if (message.status === 'failed')
    return (
      <p className="rounded-card bg-danger-soft px-4 py-3 text-sm leading-relaxed whitespace-pre-wrap">
        <strong className="text-danger">Error:</strong> {message.error?.message ?? 'Unknown error occurred'}
      </p>
    )
  const note = describeEnd(message)
  return note === undefined ? null : <p className="text-sm text-muted italic">{note}</p>
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
