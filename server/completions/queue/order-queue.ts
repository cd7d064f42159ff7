/** What decides about the place of a waiting message. */
interface Place {
  readonly id: string
  readonly steers: boolean
}

export interface PlaceChange {
  /** The id of the message before which it is put; null for the end. By default it stays where it is. */
  readonly before?: string | null | undefined
  readonly steers?: boolean | undefined
}

/**
 * Returns the messages of a queue in the order after a change of one of them. Those that go into the running reply are
 * the first: one that becomes such a message is the last of them, and one that is taken back is the first of the others,
 * unless `before` says more.
 */
export function changePlace<Message extends Place>(
  queue: readonly Message[],
  id: string,
  { before, steers }: PlaceChange,
): readonly Message[] {
  const index = queue.findIndex((message) => message.id === id)
  const message = queue[index]
  if (message === undefined) return queue
  const changed = { ...message, steers: steers ?? message.steers }
  const others = queue.toSpliced(index, 1)
  const place = findPlace(others, { index, before, id })
  const steeringChanged = changed.steers !== message.steers
  const firstOther = others.findIndex((other) => !other.steers)
  const group = firstOther === -1 ? others.length : firstOther
  const moved = others.toSpliced(before === undefined && steeringChanged ? group : place, 0, changed)
  return [...moved.filter((one) => one.steers), ...moved.filter((one) => !one.steers)]
}

function findPlace(
  others: readonly Place[],
  {
    index,
    before,
    id,
  }: { readonly index: number; readonly before?: string | null | undefined; readonly id: string },
): number {
  if (before === undefined || before === id) return index
  const place = others.findIndex((other) => other.id === before)
  return place === -1 ? others.length : place
}
