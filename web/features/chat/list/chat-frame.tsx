import type { ReactNode } from 'react'
import { classNames } from '../../../ui/class-names.ts'

export interface ChatFrameProps {
  /** The table of contents, left of the messages on a wide window. */
  readonly contents?: ReactNode
  /** Shown right of the messages on a wide window. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/**
 * The columns of a chat: contents, messages, aside. Without an aside, a wide window has an empty column as wide as the
 * contents, so that the text is centred.
 */
export function ChatFrame({ contents, aside, children }: ChatFrameProps) {
  return (
    <div
      className={classNames(
        'flex flex-1 flex-col lg:grid',
        aside
          ? 'lg:grid-cols-[15rem_minmax(0,1fr)_18rem]'
          : 'lg:grid-cols-[15rem_minmax(0,1fr)] xl:grid-cols-[15rem_minmax(0,1fr)_15rem]',
      )}
    >
      <div className="contents lg:block">{contents}</div>
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
      {aside && <div className="hidden min-w-0 lg:block">{aside}</div>}
    </div>
  )
}
