import { expect, it, vi } from 'vitest'
import { browserStorage, createStoredValue } from './browser-storage.ts'

const create = () => createStoredValue('colour', (text) => text ?? 'green')

it('parses the stored text, and stores the value that is set', () => {
  const value = create()
  expect(value.get()).toBe('green')
  value.set('red')
  expect(localStorage.getItem('colour')).toBe('red')
  expect(value.get()).toBe('red')
})

it('notifies listeners of changes here until they unsubscribe', () => {
  const value = create()
  const listener = vi.fn()
  const unsubscribe = value.subscribe(listener)
  value.set('red')
  expect(listener).toHaveBeenCalledTimes(1)
  unsubscribe()
  value.set('blue')
  expect(listener).toHaveBeenCalledTimes(1)
})

it('notifies listeners when another tab changes the storage', () => {
  const listener = vi.fn()
  const unsubscribe = create().subscribe(listener)
  dispatchEvent(new StorageEvent('storage', { key: 'colour' }))
  expect(listener).toHaveBeenCalledTimes(1)
  unsubscribe()
  dispatchEvent(new StorageEvent('storage', { key: 'colour' }))
  expect(listener).toHaveBeenCalledTimes(1)
})

it('lists a key once when its new value did not fit', () => {
  browserStorage.write('note', 'old')
  const full = {
    setItem: () => {
      throw new DOMException('Full', 'QuotaExceededError')
    },
  }
  vi.stubGlobal('localStorage', full)
  browserStorage.write('note', 'new')
  vi.unstubAllGlobals()
  expect(localStorage.getItem('note')).toBe('old')
  expect(browserStorage.read('note')).toBe('new')
  expect(browserStorage.keys().filter((key) => key === 'note')).toHaveLength(1)
  browserStorage.remove('note')
  expect(browserStorage.read('note')).toBeNull()
})
