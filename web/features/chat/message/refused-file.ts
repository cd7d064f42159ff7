import type { FileRef, Message, MessageContent } from '@yonder/contract/message'
import { filesOfContent, isBlank, textOfContent, toContent } from '@yonder/contract/message-text'

export interface RefusedMessage {
  /** The message of the user that has the file. */
  readonly message: Message
  /** What it contains without the file. */
  readonly content: MessageContent
}

/**
 * Finds the file that the provider refused, by its name in the error of a failed reply, in the messages before the reply.
 * Returns undefined when there is none, and for a message that would be blank without it.
 */
export function findRefusedFile(messages: readonly Message[], reply: Message): RefusedMessage | undefined {
  if (reply.error?.code !== 'file_refused') return undefined
  const { message: reason } = reply.error
  const isNamed = ({ name }: FileRef) => reason.includes(`"${name}"`)
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (let id = reply.parent_id; id !== null;) {
    const message = byId.get(id)
    // Each is visited once, so that a cycle ends the loop.
    byId.delete(id)
    if (message === undefined) return undefined
    const files = filesOfContent(message.content)
    // The files of a tool's result belong to the tool.
    if (message.role === 'user' && message.outcome === undefined && files.some(isNamed)) {
      const content = toContent(
        textOfContent(message.content),
        files.filter((file) => !isNamed(file)),
      )
      return isBlank(content) ? undefined : { message, content }
    }
    id = message.parent_id
  }
  return undefined
}
