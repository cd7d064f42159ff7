/** A queue that gives each key its turn: one item of a key, then one of the next, however many a key has added. */
export class RoundRobin<Item> {
  readonly #items = new Map<string, Item[]>()

  add(key: string, item: Item): void {
    const items = this.#items.get(key)
    if (items === undefined) this.#items.set(key, [item])
    else items.push(item)
  }

  /** Removes and returns the next item. */
  take(): Item | undefined {
    for (const [key, items] of this.#items) {
      const item = items.shift()
      this.#items.delete(key)
      // A map keeps the order of insertion, so the key is now the last one.
      if (items.length > 0) this.#items.set(key, items)
      return item
    }
    return undefined
  }
}
