import { ArrowDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'

export interface ComposerBarProps {
  /** Absent while the end of the page is in view. */
  readonly onGoToEnd: (() => void) | undefined
  readonly children: ReactNode
}

/** The bottom of a chat (§2.25): the input, the page fading under it, and a button that scrolls to the end. */
export function ComposerBar({ onGoToEnd, children }: ComposerBarProps) {
  return (
    <div className="sticky bottom-0 z-10 bg-linear-to-b from-transparent to-page to-30% pt-6">
      {onGoToEnd !== undefined && (
        <div className="pointer-events-none absolute -top-6 right-0 left-0 flex justify-center">
          <span className="pointer-events-auto inline-flex animate-appear">
            <IconButton label="Go to the end" look="floating" shape="round" onClick={onGoToEnd}>
              <ArrowDown size={18} aria-hidden />
            </IconButton>
          </span>
        </div>
      )}
      <div className="mx-auto w-full max-w-column px-2 pb-3 sm:px-6 sm:pb-5">{children}</div>
    </div>
  )
}
