import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Passage } from '@yonder/contract/chat'
import { excerptOf } from '@yonder/contract/lib/excerpt'
import { stripMarkdown } from '@yonder/contract/message-text'
import type { FoundPage } from './chat-finder.ts'
import type { PassageRow } from './summary-store.ts'
import { countWords } from './words.ts'

/** The length of a passage, in characters as users count them. */
const maxPassageChars = 150
/** Milliseconds after which other requests have their turn. */
const maxHoldMs = 5

/** Presents the passages of found chats, by the id of the chat. */
export async function presentPassages(
  { passages }: Pick<FoundPage, 'passages'>,
  messages: readonly PassageRow[],
  words: readonly string[],
): Promise<ReadonlyMap<string, Passage>> {
  const presented = new Map<string, Passage>()
  let start = performance.now()
  for (const message of messages) {
    const found = passages.get(message.chat_id)
    if (found === undefined) continue
    presented.set(message.chat_id, {
      message_id: message.id,
      role: message.role === 'assistant' ? 'assistant' : 'user',
      ...(message.bot !== null && { bot: message.bot }),
      ...(message.model !== null && { model: message.model }),
      ...(message.unix_timestamp > 0 && { time: new Date(message.unix_timestamp).toISOString() }),
      text: excerptOf(asRead(found.part, words), words, maxPassageChars),
      count: found.count,
    })
    if (performance.now() - start < maxHoldMs) continue
    await nextTurn()
    start = performance.now()
  }
  return presented
}

/** Returns a text without its markdown marks, unless a word is in the marks, such as in the address of a link. */
function asRead(text: string, words: readonly string[]): string {
  const stripped = stripMarkdown(text)
  return countWords(stripped, words) < countWords(text, words) ? text : stripped
}
