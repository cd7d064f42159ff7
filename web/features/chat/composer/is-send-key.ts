import type { KeyboardEvent } from 'react'

/** Enter without Shift (§5.3). While an input method composes, Enter chooses a word; Safari shows that only by the key code. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && event.keyCode !== 229
}
