import { isApple } from './is-apple.ts'

/** Whether a key press is a shortcut such as `mod+k` or `escape`; `mod` is Command on a Mac and Control elsewhere. */
export function matchShortcut(
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
