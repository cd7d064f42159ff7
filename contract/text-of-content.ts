import type { MessageContent } from './message.ts'

/** The text of a content in either form (§3.7). Free of zod, since the browser's chat page uses it. */
export function textOfContent(content: MessageContent): string {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
}
