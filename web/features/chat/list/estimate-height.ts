import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'

/** Pixels of a line of text, of what stands around a message, and between two. */
const line = 26
const frame = 58
const gap = 24

/** About how high messages will be, in pixels, until they have been drawn once. */
export function estimateHeight(messages: readonly Message[]): number {
  const heights = messages.map(({ role, content }) => {
    const text = textOfContent(content)
    const lines = Math.ceil(text.length / (role === 'user' ? 62 : 86))
    return Math.max(1, lines) * line + frame
  })
  return heights.reduce((sum, height) => sum + height + gap, -gap)
}
