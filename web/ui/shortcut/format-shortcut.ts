import { isApple } from './is-apple.ts'

const names: Readonly<Record<string, string>> = isApple
  ? { mod: '⌘', shift: '⇧', alt: '⌥', escape: 'Esc', enter: '↵' }
  : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', escape: 'Esc', enter: 'Enter' }

/** The keys of a shortcut such as `mod+shift+o`, as this machine's keyboard names them. */
export function formatShortcut(shortcut: string): readonly string[] {
  return shortcut.split('+').map((key) => names[key] ?? key.toUpperCase())
}
