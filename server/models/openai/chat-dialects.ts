import { missesThinking, thinkingFor, type ReturnedThinking } from '../conversation.ts'
import { callsOf, textOf, type ModelRequest } from '../model.ts'
import type { Dialect } from '../upstream/stream-reply.ts'

/** How a request is written for servers that differ from most. `rules.ts` has the reasons. */
export interface ChatDialect extends Dialect {
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
  /** The role of the instructions. With `user` they are put before the first message's text. */
  readonly instructionsRole: 'system' | 'developer' | 'user'
  /** The content of a message with calls and without text. */
  readonly emptyContent: '' | null
  /** Whether a message with calls may have a text. */
  readonly textBesideCalls: boolean
  /** With `every` it is `reasoning_content`. */
  readonly thinking: ReturnedThinking
  /** Whether each call of a turn gets a message of its own, followed by its result. */
  readonly splitsCalls: boolean
  /** Whether calls without a signature get the text that Google documents for them. */
  readonly signsCalls: boolean
  /** Whether PDFs have names as Bedrock takes them. */
  readonly plainFileNames: boolean
  /** Whether the reasoning is turned off when there are tools. */
  readonly stopsReasoning: boolean
  /** The values that fields have had before and after a refusal. None comes back, so the attempts end. */
  readonly changed: readonly string[]
}

/** The form that most servers take. Servers at unknown addresses get it too. */
const commonDialect: ChatDialect = {
  limitField: 'max_tokens',
  instructionsRole: 'system',
  emptyContent: '',
  textBesideCalls: true,
  splitsCalls: false,
  thinking: 'own',
  signsCalls: false,
  plainFileNames: false,
  stopsReasoning: false,
  leftOut: [],
  changed: [],
}

interface KnownServer {
  readonly name: string
  /** A match of either is enough. */
  readonly host?: RegExp
  readonly model?: RegExp
  readonly dialect: Partial<ChatDialect>
}

/** What is known of servers, by their host or by the name of the model, which may be behind a gateway. Later ones win. */
const knownServers = [
  {
    name: 'OpenAI',
    host: /(?:^|\.)openai\.com$/,
    model: /^(?:openai\/)?(?:gpt-5|o\d\b)/,
    dialect: { limitField: 'max_completion_tokens' },
  },
  {
    name: 'Google',
    host: /(?:^|\.)googleapis\.com$/,
    model: /^(?:models\/)?gemini-(?![12]\b)/,
    dialect: { signsCalls: true },
  },
  {
    name: 'Bedrock',
    host: /(?:^|\.)amazonaws\.com$/,
    model: /bedrock|claude|\banthropic\b|\bamazon\b|\bnova\b/,
    dialect: { emptyContent: null, leftOut: ['name'] },
  },
  {
    name: 'Bedrock itself',
    host: /(?:^|\.)amazonaws\.com$/,
    model: /bedrock|^(?:us|eu|apac|global)\.(?:anthropic|amazon)\./,
    dialect: { plainFileNames: true },
  },
  { name: 'xAI', host: /(?:^|\.)x\.ai$/, dialect: { leftOut: ['name'] } },
  { name: 'Cohere', host: /(?:^|\.)cohere\.(?:ai|com)$/, dialect: { leftOut: ['name'] } },
  {
    name: 'Mistral',
    host: /(?:^|\.)mistral\.ai$/,
    dialect: { leftOut: ['stream_options', 'reasoning_content', 'reasoning_details'] },
  },
  {
    name: 'Groq, Cerebras',
    host: /(?:^|\.)(?:groq\.com|cerebras\.ai)$/,
    dialect: { leftOut: ['name', 'reasoning_content', 'reasoning_details'] },
  },
] as const satisfies readonly KnownServer[]

/** The dialect for the first attempt. */
export function firstDialect({ model }: ModelRequest, url: URL): ChatDialect {
  const known = knownServers.filter(
    (server: KnownServer) => server.host?.test(url.hostname) || server.model?.test(model.toLowerCase()),
  )
  const own = { thinking: thinkingFor(model, url) }
  return Object.assign({}, commonDialect, own, ...known.map(({ dialect }) => dialect)) as ChatDialect
}

/** The dialect to try next after a refusal; undefined when no other one would help. */
export function adaptDialect(
  dialect: ChatDialect,
  rejection: string,
  request: ModelRequest,
): ChatDialect | undefined {
  // These fields of an error say nothing about the request.
  const text = rejection.toLowerCase().replaceAll(/"(?:code|param|type)": ?null/g, '')
  const change = findChange(dialect, text, request)
  const [[field, value] = []] = Object.entries(change ?? {}) as [keyof ChatDialect, unknown][]
  if (field === undefined || dialect.changed.includes(`${field} ${String(value)}`)) return undefined
  return {
    ...dialect,
    ...change,
    changed: [...dialect.changed, `${field} ${String(dialect[field])}`, `${field} ${String(value)}`],
  }
}

const namesContent = /\bcontent\b/
const saysEmpty = /\bnull\b|\bnil\b|none|empty|blank|at least one|valid string/

/** The one field to change. */
function findChange(
  dialect: ChatDialect,
  text: string,
  request: ModelRequest,
): Partial<ChatDialect> | undefined {
  const { instructions, maxTokens, messages, tools, options } = request
  if (maxTokens !== null && text.includes('max_completion_tokens'))
    return { limitField: dialect.limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }
  if (text.includes('thought_signature') && !dialect.signsCalls) return { signsCalls: true }
  if (dialect.thinking !== 'every' && missesThinking(text)) return { thinking: 'every' }
  if (tools.length > 0 && options?.reasoningEffort === undefined && /reasoning_effort/.test(text))
    return { stopsReasoning: true }
  if (/\b(?:single|one) tool[- _]calls?\b/.test(text)) return { splitsCalls: true }
  if (/\bdocument (?:file )?names?\b/.test(text)) return { plainFileNames: true }
  if (namesContent.test(text)) {
    const calling = messages.filter((message) => callsOf(message).length > 0)
    if (/tool_calls/.test(text) && /\bboth\b/.test(text) && calling.some((message) => textOf(message) !== ''))
      return { textBesideCalls: false }
    if (saysEmpty.test(text) && calling.length > 0)
      return { emptyContent: dialect.emptyContent === null ? '' : null }
  }
  if (instructions === undefined || dialect.instructionsRole === 'user') return undefined
  const { instructionsRole } = dialect
  // The refusal of some models names the system role although the request has the developer role.
  if (!text.includes('role') || !(text.includes('system') || text.includes(instructionsRole)))
    return undefined
  // OpenAI's reasoning models; chat templates know neither role.
  return { instructionsRole: text.includes("does not support 'system'") ? 'developer' : 'user' }
}
