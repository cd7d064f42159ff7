/**
 * Whether a key press is a shortcut such as `mod+k` or `escape`. `mod` is Command on a Mac and Control elsewhere; both
 * are taken, since a Mac's Control combinations are free in browsers.
 */
export function matchShortcut(
  event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>,
  shortcut: string,
): boolean {
  const keys = shortcut.split('+')
  return (
    event.key.toLowerCase() === keys.at(-1) &&
    (event.metaKey || event.ctrlKey) === keys.includes('mod') &&
    event.shiftKey === keys.includes('shift') &&
    event.altKey === keys.includes('alt')
  )
}
