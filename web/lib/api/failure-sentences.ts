// A module of its own, because the first page shows a sentence before it makes any call.

/** The causes of failures that the browser finds by itself. Each has one sentence, which every place shows. */
const sentences = {
  offline: 'You are offline.',
  was_offline: 'You were offline.',
  unreachable: 'The server could not be reached.',
  unconfirmed: 'The connection was lost before the server confirmed the request.',
  reconnecting: 'The connection was lost. Reconnecting...',
  page_closed: 'The page was closed before the server confirmed the message.',
  chat_closed: 'The chat was closed before the message was sent.',
  page_left: 'You opened another page before the message was sent.',
  signed_out: 'You were signed out before the message was sent.',
} as const

export type FailureCause = keyof typeof sentences

export function sentenceOf(cause: FailureCause): string {
  return sentences[cause]
}
