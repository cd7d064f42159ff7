import type { KeyboardEvent } from 'react'

/** Enter alone (§5.3). While an input method composes, Enter chooses a word; Safari says so only by the key code. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && event.keyCode !== 229
}
