interface Named {
  readonly name: string
}

/** A cached list with `item` at its end. The list may have been read again while the call was under way, and have it already. */
export function addToList<Item extends Named>(list: readonly Item[] = [], item: Item): readonly Item[] {
  return [...list.filter(({ name }) => name !== item.name), item]
}

/** A cached list with a new state of the item that was called `name` until now. */
export function replaceInList<Item extends Named>(
  list: readonly Item[] = [],
  name: string,
  item: Item,
): readonly Item[] {
  return list.map((other) => (other.name === name ? item : other))
}

export function removeFromList<Item extends Named>(
  list: readonly Item[] = [],
  name: string,
): readonly Item[] {
  return list.filter((item) => item.name !== name)
}
