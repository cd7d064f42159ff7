import type { ApiType } from '@yonder/contract/bot'

/**
 * Data that an upstream expects back with its call: signatures, and the thinking that they sign. It is stored with the
 * call and sent back only to the same upstream, in the same wire format.
 */
interface CallNote {
  readonly from: string
  readonly data: unknown
}

/** Names the upstream that a note comes from. */
export function noteSource(apiType: ApiType, { origin }: URL): string {
  return `${apiType} ${origin}`
}

export function writeNote(from: string, data: unknown): CallNote {
  return { from, data }
}

/** The data of this source's note; undefined for another source's note. */
export function readNote(note: unknown, from: string): unknown {
  // Every stored note was made by `writeNote`.
  const written = note as CallNote | undefined
  return written?.from === from ? written.data : undefined
}
