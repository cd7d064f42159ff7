import { expect, it } from 'vitest'
import { matchShortcut } from './match-shortcut.ts'

const press = (key: string, held: Partial<KeyboardEvent> = {}) =>
  new KeyboardEvent('keydown', { key, ...held })

it('takes exactly the keys that the shortcut names', () => {
  expect(matchShortcut(press('k', { ctrlKey: true }), 'mod+k')).toBe(true)
  expect(matchShortcut(press('K', { ctrlKey: true, shiftKey: true }), 'mod+k')).toBe(false)
  expect(matchShortcut(press('O', { ctrlKey: true, shiftKey: true }), 'mod+shift+o')).toBe(true)
  expect(matchShortcut(press('k'), 'mod+k')).toBe(false)
  expect(matchShortcut(press('k', { ctrlKey: true, altKey: true }), 'mod+k')).toBe(false)
  expect(matchShortcut(press('Escape'), 'escape')).toBe(true)
})
