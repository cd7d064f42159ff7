import type { LiveShape } from './session/live-shape.ts'

export interface ChatStatusProps {
  readonly shape: LiveShape
  /** Whether a call waits for its person, who may write something else instead. */
  readonly waiting: boolean
}

/** What did not go as asked, that a broken connection is being mended, what sending means now: a line over the input. */
export function ChatStatus({ shape: { phase, notice }, waiting }: ChatStatusProps) {
  const hint = waiting ? 'A tool waits for your permission. Sending a message denies it.' : undefined
  const text = phase === 'reconnecting' ? 'The connection is lost. Joining again...' : (notice ?? hint)
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:hidden">{text}</output>
}
