import { createHash } from 'node:crypto'
import { callsOf, mediaOf, textsOf, type CallPart, type MediaPart, type ModelMessage } from './model.ts'
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

/**
 * Which thinking is sent back: none, what the server itself has sent, or some with every reply, also those of other
 * models.
 */
export type ReturnedThinking = 'none' | 'own' | 'every'

/** Those that want thinking with every reply: DeepSeek, Moonshot and MiMo, also behind a gateway. */
const thinkingHosts = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn)|kimi\.com|xiaomimimo\.com)$/
const thinkingModels = /deepseek|moonshot|kimi|\bmimo\b/i

export function thinkingFor(model: string, { hostname }: URL): ReturnedThinking {
  return thinkingHosts.test(hostname) || thinkingModels.test(model) ? 'every' : 'own'
}

/** Whether a refusal says that the thinking of a reply is missing. */
export function missesThinking(rejection: string): boolean {
  return (
    /reasoning_(?:content|text)|content\[\]\.thinking/i.test(rejection) &&
    /missing|must be|require|passed back|(?<!un)expected/i.test(rejection)
  )
}

/** What the assistant thought, as it was shown. A dash when that is not known: some servers refuse an empty text. */
export function shownThinking(parts: ModelMessage['parts']): string {
  return parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n\n') || '-'
}

/** A message of the user in its order: its texts, and what it has between them. Texts beside each other are one. */
export function blocksOf({
  parts,
}: Extract<ModelMessage, { role: 'user' }>): readonly (string | MediaPart)[] {
  const blocks: (string | MediaPart)[] = []
  for (const part of parts) {
    const last = blocks.at(-1)
    if (part.type === 'media') blocks.push(part)
    else {
      const text = textsOf({ parts: [part] }).join('')
      if (typeof last === 'string') blocks[blocks.length - 1] = `${last}\n\n${text}`
      else blocks.push(text)
    }
  }
  return blocks
}

/** A picture or document as many servers take it, in a URL. */
export function toDataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${data}`
}

/**
 * Returns the messages with the pictures of results in a message of the user after all results of the turn, for servers
 * that take pictures only from the user. A message of the user that follows is joined with it.
 */
export function movePictures(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const moved: ModelMessage[] = []
  for (const message of messages) {
    const last = moved.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      moved[moved.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] }
    else if (message.role !== 'tool' || mediaOf(message).length === 0) moved.push(message)
    else {
      const results = message.parts.map(({ media: _, ...result }) => result)
      moved.push({ role: 'tool', parts: results }, { role: 'user', parts: describePictures(message.parts) })
    }
  }
  return moved
}

type UserPart = Extract<ModelMessage, { role: 'user' }>['parts'][number]

function describePictures(results: Extract<ModelMessage, { role: 'tool' }>['parts']): readonly UserPart[] {
  return results.flatMap(({ name, media = [] }): readonly UserPart[] => {
    if (media.length === 0) return []
    const names = media.map((one) => one.name).join(', ')
    return [
      { type: 'text', text: `[From the result of the tool ${writeToolName(name)}: ${names}]` },
      ...media,
    ]
  })
}

/** Google documents this signature for calls that another model made. */
export const anySignature = 'skip_thought_signature_validator'

/** The names that every provider takes: Google wants at most 63 characters and no digit or hyphen first. */
const acceptedName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/

/** The name of a called tool. Models make up names, and a history may come from elsewhere. */
export function writeToolName(name: string): string {
  return acceptedName.test(name) ? name : `tool_${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 63)
}
