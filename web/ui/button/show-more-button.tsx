import type { ReactNode } from 'react'
import { focusLastEntry, useFocusAfterRemoval } from '../focus.ts'
import { Button } from './button.tsx'

export interface ShowMoreButtonProps {
  readonly busy?: boolean
  readonly onPress: () => void
  readonly children: ReactNode
}

/**
 * The button under a list that shows its next entries. When the last ones appear, the button is removed; if it has the
 * focus, the focus moves to the entry before the new ones.
 */
export function ShowMoreButton({ busy = false, onPress, children }: ShowMoreButtonProps) {
  const box = useFocusAfterRemoval<HTMLDivElement>(focusLastEntry)
  return (
    <div ref={box} className="my-2.5">
      <Button size="small" busy={busy} onClick={onPress}>
        {children}
      </Button>
    </div>
  )
}
