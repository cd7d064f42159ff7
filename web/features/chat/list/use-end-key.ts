import { useEffect, useRef } from 'react'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { scrollToPlace } from './scroll-to-place.ts'
import { distanceToEnd } from './use-follow-end.ts'

/**
 * Lets the End key reach the end of a long chat. The browser alone scrolls to where the end was before the last messages
 * were drawn. By default the page is only scrolled.
 */
export function useEndKey(goToEnd?: () => void): void {
  const endScroll = useRef<() => void>(undefined)
  useEffect(() => () => endScroll.current?.(), [])
  const press = () => {
    // In a text the key moves the cursor, in a select box the choice.
    if (document.activeElement?.matches('input, textarea, select') === true) return false
    if (goToEnd !== undefined) return goToEnd()
    endScroll.current?.()
    endScroll.current = scrollToPlace(distanceToEnd)
  }
  useShortcut('end', press, 'browser')
  useShortcut('mod+end', press, 'browser')
}
