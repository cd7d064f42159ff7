import type { ApiType } from '@yonder/contract/bot'

/**
 * What an upstream wants to see again with a call of its own: signatures, and the thinking that they sign. Kept with the
 * call and given back to that upstream alone, in the format in which it came.
 */
interface CallNote {
  readonly from: string
  readonly data: unknown
}

/** Whom notes come from and go back to. */
export function noteSource(apiType: ApiType, { origin }: URL): string {
  return `${apiType} ${origin}`
}

export function writeNote(from: string, data: unknown): CallNote {
  return { from, data }
}

/** What this source wrote; nothing when the note is another one's. */
export function readNote(note: unknown, from: string): unknown {
  // Only `writeNote` makes notes.
  const written = note as CallNote | undefined
  return written?.from === from ? written.data : undefined
}
