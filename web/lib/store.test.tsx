import { act, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { createStore, useStore } from './store.ts'

it('returns the latest state, set or updated', () => {
  const store = createStore(1)
  expect(store.get()).toBe(1)
  store.set(2)
  store.update((count) => count + 3)
  expect(store.get()).toBe(5)
})

it('notifies listeners of changes only, until they unsubscribe', () => {
  const store = createStore('a')
  const listener = vi.fn()
  const unsubscribe = store.subscribe(listener)
  store.set('a')
  store.update((text) => text)
  expect(listener).not.toHaveBeenCalled()
  store.set('b')
  expect(listener).toHaveBeenCalledTimes(1)
  unsubscribe()
  store.set('c')
  expect(listener).toHaveBeenCalledTimes(1)
})

it('keeps a second subscription of the same listener when the first one ends', () => {
  const store = createStore(0)
  const listener = vi.fn()
  const unsubscribe = store.subscribe(listener)
  store.subscribe(listener)
  unsubscribe()
  store.set(1)
  expect(listener).toHaveBeenCalledTimes(1)
})

it('does not call a listener that another one unsubscribed during the notification', () => {
  const store = createStore(0)
  const other = vi.fn()
  store.subscribe(() => unsubscribe())
  const unsubscribe = store.subscribe(other)
  store.set(1)
  store.set(2)
  expect(other).not.toHaveBeenCalled()
})

it('renders again when the selected part changes, and only then', () => {
  const store = createStore({ name: 'Ada', age: 36 })
  const onRender = vi.fn()
  function Name() {
    onRender()
    return <p>{useStore(store, ({ name }) => name)}</p>
  }
  function Age() {
    return <p>{useStore(store).age}</p>
  }
  render(
    <>
      <Name />
      <Age />
    </>,
  )
  act(() => store.update((user) => ({ ...user, age: 37 })))
  expect(screen.getByText('37')).toBeVisible()
  expect(onRender).toHaveBeenCalledTimes(1)
  act(() => store.update((user) => ({ ...user, name: 'Grace' })))
  expect(screen.getByText('Grace')).toBeVisible()
  expect(onRender).toHaveBeenCalledTimes(2)
})
