import type { Message } from '@yonder/contract/message'
import type { KnownMessage } from './import-store.ts'

/** A message that is to be inserted, with its place in the tree and its time in the chat. */
export interface PlacedMessage extends KnownMessage {
  readonly message: Message
}

/**
 * Places the messages of a chat that are not here yet. Each has its own time if that is after its parent's, else the
 * first free one after it: in a chat no two messages have the same. What an import that was cut has stored already does
 * not change the times of the others.
 */
export function placeMessages(
  messages: readonly Message[],
  known: ReadonlyMap<string, KnownMessage>,
  startTime: number,
): readonly PlacedMessage[] {
  const places = new Map<string, KnownMessage>(known)
  const times = new FreeTimes([...known.values()].map(({ unix_timestamp }) => unix_timestamp))
  return messages.flatMap((message) => {
    const { id, parent_id } = message
    if (places.has(id)) return []
    const parent = parent_id === null ? undefined : places.get(parent_id)
    const earliest = parent === undefined ? 0 : parent.unix_timestamp + 1
    const wanted = message.unix_timestamp === 0 && parent === undefined ? startTime : message.unix_timestamp
    const place = {
      id,
      first_id: parent?.first_id ?? id,
      second_id: parent === undefined ? null : (parent.second_id ?? id),
      unix_timestamp: times.take(Math.max(wanted, earliest)),
    }
    places.set(id, place)
    return [{ ...place, message }]
  })
}

/** The times of a chat that no message has. */
class FreeTimes {
  readonly #taken: Set<number>
  /** Where to look for a free time, from one that is taken. Without it, 100,000 equal times would take minutes. */
  readonly #next = new Map<number, number>()

  constructor(taken: readonly number[]) {
    this.#taken = new Set(taken)
  }

  take(wanted: number): number {
    let time = wanted
    const passed: number[] = []
    while (this.#taken.has(time)) {
      passed.push(time)
      time = this.#next.get(time) ?? time + 1
    }
    this.#taken.add(time)
    for (const one of passed) this.#next.set(one, time + 1)
    return time
  }
}

/** Puts the messages of the open path first, so that what a cut import leaves is the beginning of that path. */
export function openPathFirst(
  messages: readonly PlacedMessage[],
  openPath: ReadonlySet<string>,
): readonly PlacedMessage[] {
  return [...messages.filter(({ id }) => openPath.has(id)), ...messages.filter(({ id }) => !openPath.has(id))]
}
