/** Requests at a time: Google refuses a person's requests when too many of them come at once. */
const atOnce = 6

/** The results for all items, in their order, with a few under way at a time. The first failure ends it. */
export async function mapFew<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))))
  }
  return results
}
