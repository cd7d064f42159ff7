import type { Message } from '@yonder/contract/message'

/** Returns how many calls of the same batch come after the call of a reply. */
export function countCallsAfter({ call }: Message): number {
  return call?.place === undefined ? 0 : call.place.total - call.place.index
}
