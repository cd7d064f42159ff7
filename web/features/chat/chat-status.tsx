import type { LiveShape } from './live-shape.ts'

/** What did not go as asked, and that a broken connection is being mended, in a line over the input. */
export function ChatStatus({ shape: { phase, notice } }: { readonly shape: LiveShape }) {
  const text = phase === 'reconnecting' ? 'The connection is lost. Joining again...' : notice
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:hidden">{text}</output>
}
