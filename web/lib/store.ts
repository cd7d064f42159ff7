import { useSyncExternalStore } from 'react'

/** State that components and other code can read and subscribe to. */
export interface ReadableStore<State> {
  readonly get: () => State
  /** Calls `listener` after each change; the returned function unsubscribes it. */
  readonly subscribe: (listener: () => void) => () => void
}

export interface Store<State> extends ReadableStore<State> {
  readonly set: (next: State) => void
  readonly update: (change: (state: State) => State) => void
}

/**
 * State outside of React, for data that outlives a component or belongs to no component. Setting an equal value does
 * not notify the listeners.
 */
export function createStore<State>(initial: State): Store<State> {
  let state = initial
  const listeners = new Set<() => void>()
  const set = (next: State): void => {
    if (Object.is(next, state)) return
    state = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => state,
    set,
    update: (change) => set(change(state)),
    subscribe: (listener) => {
      // A new function each time, because the Set would contain a listener that subscribes twice only once.
      const wrapped = () => listener()
      listeners.add(wrapped)
      return () => void listeners.delete(wrapped)
    },
  }
}

export function useStore<State>(store: ReadableStore<State>): State
/** `select` returns the part that the component shows. It must return equal values for equal states. */
export function useStore<State, Selected>(
  store: ReadableStore<State>,
  select: (state: State) => Selected,
): Selected
export function useStore<State, Selected>(
  store: ReadableStore<State>,
  select?: (state: State) => Selected,
): State | Selected {
  const read = () => (select === undefined ? store.get() : select(store.get()))
  return useSyncExternalStore(store.subscribe, read)
}
