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
    if (takesEnd(document.activeElement)) return false
    if (goToEnd !== undefined) return goToEnd()
    endScroll.current?.()
    endScroll.current = scrollToPlace(distanceToEnd)
  }
  useShortcut('end', press, 'browser')
  useShortcut('mod+end', press, 'browser')
}

/** Whether the key has a meaning at the element: in a text it moves the cursor, and a box that scrolls goes to its own end. */
function takesEnd(focused: Element | null): boolean {
  if (focused?.matches('input, textarea, select') === true) return true
  for (let box = focused; box !== null && box !== document.body; box = box.parentElement)
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY))
      return true
  return false
}
