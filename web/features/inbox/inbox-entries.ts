import type { ToolCallRecord } from '@yonder/contract/connector'
import type { Inbox, InboxItem } from '@yonder/contract/inbox'

/** What the user decided here about a call. */
export type Decision = 'allowed' | 'allowed_edited' | 'denied' | 'denied_with_reason'

/** Why an entry no longer waits. */
export type EntryEnd =
  /** The user has decided here. `isSent` is true once the server has accepted it. `at` is in ms since 1970. */
  | { readonly kind: 'decided'; readonly decision: Decision; readonly at: number; readonly isSent: boolean }
  /** The decision was not carried out. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It was decided elsewhere, or its reply has ended. The record is undefined until it is read, null if there is none. */
  | { readonly kind: 'gone'; readonly record?: ToolCallRecord | null }

/** A call or a question of the inbox, which stays in its place until the page is left. */
export interface InboxEntry {
  readonly key: string
  readonly item: InboxItem
  /** Undefined while the user can decide. */
  readonly end?: EntryEnd | undefined
}

/**
 * Adds what was read to the entries that are shown. None of them moves: what no longer waits is marked, and what is new
 * comes at the end.
 */
export function mergeInbox(shown: readonly InboxEntry[], { items, total }: Inbox): readonly InboxEntry[] {
  const read = new Map(items.map((item) => [keyOf(item), item]))
  const oldest = items.at(-1)?.asked_at
  const kept = shown.map((entry): InboxEntry => {
    const item = read.get(entry.key)
    read.delete(entry.key)
    if (entry.end !== undefined) return entry
    if (item !== undefined) return { ...entry, item }
    // Not all that waits is listed, and the newest is listed first.
    const mayWait = total > items.length && oldest !== undefined && entry.item.asked_at <= oldest
    return mayWait ? entry : { ...entry, end: { kind: 'gone' } }
  })
  return [...kept, ...Array.from(read, ([key, item]) => ({ key, item }))]
}

/** A call can ask several questions one after the other. */
const keyOf = ({ message: { id, call } }: InboxItem): string => `${id} ${call?.question?.id ?? ''}`

/** Changes the entry with this key. */
export function changeEntry(
  entries: readonly InboxEntry[],
  key: string,
  change: Partial<InboxEntry>,
): readonly InboxEntry[] {
  return entries.map((entry) => (entry.key === key ? { ...entry, ...change } : entry))
}

/** Adds to the entries that were decided elsewhere how they were decided. */
export function withRecords(
  entries: readonly InboxEntry[],
  records: readonly ToolCallRecord[],
): readonly InboxEntry[] {
  return entries.map((entry) => {
    if (entry.end?.kind !== 'gone' || entry.end.record !== undefined) return entry
    const record = records.find(({ message_id }) => message_id === entry.item.message.id) ?? null
    return { ...entry, end: { kind: 'gone', record } }
  })
}
