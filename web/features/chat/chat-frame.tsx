import type { ReactNode } from 'react'

export interface ChatFrameProps {
  /** What stands left of the messages where there is room. */
  readonly contents?: ReactNode
  readonly children: ReactNode
}

/** The columns of a chat: contents, messages, and on a wide window as much room on the right, so that the text is centred. */
export function ChatFrame({ contents, children }: ChatFrameProps) {
  return (
    <div className="flex flex-1 flex-col lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] xl:grid-cols-[15rem_minmax(0,1fr)_15rem]">
      <div className="contents lg:block">{contents}</div>
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
    </div>
  )
}
