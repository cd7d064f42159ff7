import type { SessionView } from './session/session-state.ts'

export interface ChatStatusProps {
  readonly view: SessionView
  /** Whether a call waits for its person, who may write something else instead. */
  readonly waiting: boolean
}

/** What did not go as asked, that a broken connection is being mended, what sending means now: a line over the input. */
export function ChatStatus({ view: { isConnected, notice }, waiting }: ChatStatusProps) {
  const hint = waiting ? 'A tool waits for your permission. Sending a message denies it.' : undefined
  const text = isConnected ? (notice ?? hint) : 'The connection is lost. Joining again...'
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:hidden">{text}</output>
}
