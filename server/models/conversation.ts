import { createHash } from 'node:crypto'
import { callsOf, type CallPart, type ModelMessage } from './model.ts'
import { readNote } from './reply-parts.ts'

/**
 * Returns the ids under which the calls of each message are sent. A call keeps its id if `keeps` says so and no call
 * before it has it; else it gets nine letters and digits, which every provider takes. They depend on what precedes the
 * call only, so that the beginning of a longer history has the same bytes, and the provider's cache still matches.
 */
export function writeCallIds(
  messages: readonly ModelMessage[],
  keeps: (call: CallPart) => boolean,
): readonly (readonly string[])[] {
  const used = new Set<string>()
  return messages.map((message) =>
    callsOf(message).map((call) => {
      let id = call.id
      for (let attempt = 0; used.has(id) || (attempt === 0 && !keeps(call)); attempt++)
        id = shortId(`${attempt} ${call.id}`)
      used.add(id)
      return id
    }),
  )
}

/** The ids that Mistral takes, and so everyone. */
export const shortIdPattern = /^[a-zA-Z0-9]{9}$/

/** The ids that OpenAI's Responses API, Anthropic, Google and Bedrock take. */
export const longIdPattern = /^[a-zA-Z0-9_-]{1,64}$/

function shortId(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64url')
  return hash.replaceAll(/[-_]/g, '').slice(0, 9)
}

/** Whether this upstream made the call and expects data back with it, which may name the call by its id. */
export function isOwnCall(call: CallPart, source: string): boolean {
  return readNote(call.note, source) !== undefined
}

/** The names that every provider takes: Google wants at most 63 characters and no digit or hyphen first. */
const acceptedName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/

/** The name of a called tool. Models make up names, and a history may come from elsewhere. */
export function writeToolName(name: string): string {
  return acceptedName.test(name) ? name : `tool_${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 63)
}
