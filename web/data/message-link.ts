/** A message to which a link leads, and the words that were searched. */
export interface MessageTarget {
  readonly messageId: string
  readonly words: string
}

/**
 * The address of a chat, at a message in which words were found. The target is in the hash, so that no log of a server
 * has the words.
 */
export function linkToMessage(chatId: string, target: MessageTarget | undefined): string {
  const path = `/chat/${encodeURIComponent(chatId)}`
  if (target === undefined) return path
  return `${path}#${new URLSearchParams({ message: target.messageId, words: target.words })}`
}

/** Reads the target from the hash of an address. */
export function readMessageTarget(hash: string): MessageTarget | undefined {
  const params = new URLSearchParams(hash.slice(1))
  const messageId = params.get('message')
  return messageId === null ? undefined : { messageId, words: params.get('words') ?? '' }
}
