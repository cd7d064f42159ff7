import type { KeyboardEvent } from 'react'

/**
 * Whether the event is Enter without Shift (§5.3). During the composition of an input method, Enter confirms a word instead;
 * Safari reports that only as key code 229.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && event.keyCode !== 229
}
