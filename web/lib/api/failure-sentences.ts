// Separate from `api-error.ts`, because the bundle `first-page` of `vite.config.ts` needs only the sentences.

/** The causes of failures that the browser detects, each with the sentence for the user. */
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
