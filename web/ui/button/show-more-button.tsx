import type { ReactNode } from 'react'
import { useFocusAfterRemoval } from '../focus-after-removal.ts'
import type { FocusList } from '../focus-list.ts'
import { Button } from './button.tsx'

export interface ShowMoreButtonProps {
  /** The entries of the list, which can have the focus. */
  readonly focusList: FocusList
  readonly busy?: boolean
  readonly onPress: () => void
  readonly children: ReactNode
}

/**
 * The button under a list that shows its next entries. When the last ones appear, the button is removed; if it has the
 * focus, the focus moves to the entry before the new ones.
 */
export function ShowMoreButton({ focusList, busy = false, onPress, children }: ShowMoreButtonProps) {
  const button = useFocusAfterRemoval<HTMLButtonElement>(() => focusList.list().at(-1)?.focus())
  return (
    <Button ref={button} size="small" busy={busy} onClick={onPress}>
      {children}
    </Button>
  )
}
