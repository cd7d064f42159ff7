import { useEffect, useEffectEvent, type KeyboardEvent as ReactKeyboardEvent } from 'react'
import { dialogStack } from '../dialog/dialog-layer.ts'

/** Whether this machine's keyboard has a Command key. */
const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

const keyNames: Readonly<Record<string, string>> = isApple
  ? { mod: '⌘', shift: '⇧', alt: '⌥', escape: 'Esc', enter: '↵' }
  : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', escape: 'Esc', enter: 'Enter' }

/** Returns the keys of a shortcut such as `mod+shift+o` as they are labelled on this machine's keyboard. */
export function formatShortcut(shortcut: string): readonly string[] {
  return shortcut.split('+').map((key) => keyNames[key] ?? key.toUpperCase())
}

/** Returns the value of `aria-keyshortcuts` for a shortcut. */
export function formatAriaShortcut(shortcut: string): string {
  return shortcut
    .split('+')
    .map((key) =>
      key === 'mod' ? (isApple ? 'Meta' : 'Control') : key.charAt(0).toUpperCase() + key.slice(1),
    )
    .join('+')
}

/** Whether a key press is a shortcut such as `mod+k` or `escape`; `mod` is Command on a Mac and Control elsewhere. */
export function matchesShortcut(
  event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>,
  shortcut: string,
): boolean {
  const keys = shortcut.split('+')
  const mod = keys.includes('mod')
  return (
    event.key.toLowerCase() === keys.at(-1) &&
    event.metaKey === (mod && isApple) &&
    event.ctrlKey === (mod && !isApple) &&
    event.shiftKey === keys.includes('shift') &&
    event.altKey === keys.includes('alt')
  )
}

/**
 * Whether the event is Enter without Shift, which sends a message. During the composition of an input method,
 * Enter confirms a word instead; Safari reports that only as key code 229.
 */
export function isSendKey(event: ReactKeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && event.keyCode !== 229
}

/**
 * Whether the event is Escape without Shift, which closes an editor. With Shift it moves the focus to the message input, and during the composition of an input method it ends the composition.
 */
export function isCancelKey(event: ReactKeyboardEvent): boolean {
  return event.key === 'Escape' && !event.shiftKey && !event.nativeEvent.isComposing
}

/**
 * Calls `onPress` when the shortcut is pressed anywhere on the page, unless a dialog is open. The keys are left to the
 * browser when `onPress` returns false, and with `overDialog: 'browser'` while a dialog is open.
 */
export function useShortcut(
  shortcut: string,
  onPress: () => unknown,
  overDialog: 'blocked' | 'browser' = 'blocked',
): void {
  const press = useEffectEvent(onPress)
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !matchesShortcut(event, shortcut)) return
      const isCovered = dialogStack.top() !== null
      // While a dialog is open the browser must not act on the keys either, for example focus its address bar. Escape
      // is an exception: the browser closes the dialog with it.
      if (isCovered) {
        if (overDialog === 'blocked' && !shortcut.endsWith('escape')) event.preventDefault()
      } else if (press() !== false) event.preventDefault()
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [shortcut, overDialog])
}
