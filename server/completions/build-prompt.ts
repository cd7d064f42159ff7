import type { PathMessage } from '../chats/message-store.ts'
import type { ModelMessage } from '../models/model.ts'

/** Characters of a conversation that are sent to a model: about a million tokens. */
const longestPrompt = 4_000_000

/**
 * What the model is asked: the texts of a path, oldest first. Of a reply that failed or was stopped its partial text
 * counts, never the error; a reply without text is left out, and the turns around it become one, since providers refuse
 * two turns of the same side. Of a path that is too long the newest messages are taken, beginning with the user's.
 */
export function buildPrompt(path: readonly Pick<PathMessage, 'role' | 'content'>[]): ModelMessage[] {
  const turns: { role: 'user' | 'assistant'; content: string }[] = []
  for (const { role, content } of fitting(path)) {
    if (content.trim() === '') continue
    const side = role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last === undefined && side === 'assistant') continue
    if (last?.role === side) last.content += `\n\n${content}`
    else turns.push({ role: side, content })
  }
  return turns
}

function fitting<Item extends { readonly content: string }>(path: readonly Item[]): readonly Item[] {
  let length = 0
  let from = path.length
  while (from > 0) {
    length += path[from - 1]?.content.length ?? 0
    if (length > longestPrompt && from < path.length) break
    from--
  }
  return path.slice(from)
}
