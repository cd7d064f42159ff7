import { parseJson } from '../lib/json-object.ts'
import { ModelFailure, RefusedOption } from './failure.ts'
import { explainMediaRefusal } from './media-refusal.ts'
import type { ModelOptions, ModelRequest } from './model.ts'

/** Only the beginning of a refusal is searched: the message that explains it is there. */
export const maxRefusalChars = 4000

/** Messages of a model without tool support, from Ollama, Google, OpenRouter, vLLM, llama.cpp, Anthropic and others. */
const toolRefusals: readonly RegExp[] = [
  /\b(?:does not|doesn't|do not|cannot) support (?:the )?(?:tools?|tool[ _-]?(?:use|calls?|calling)|functions?|function[ _-]?call(?:s|ing)?)\b/i,
  /\b(?:tools?|tool[ _-]?(?:use|calls?|calling|choice)|functions?|function[ _-]?call(?:s|ing)?)(?: \w+){0,2} (?:is|are) not (?:supported|enabled|available|allowed)\b/i,
  /\bno endpoints found that support tool/i,
  /\btool choice requires\b/i,
  /\btools? param(?:eter)? requires\b/i,
  /\b(?:unsupported|unrecognized|unknown|unexpected) (?:request )?(?:parameter|argument|field|keyword)s?(?: supplied)?:? ['"`]?tools\b/i,
]

/**
 * Messages that contain words of a prompt that is too long, but are about something else. Shortening the prompt does not
 * help there, and what they name is not the context window.
 */
const otherLimits: readonly RegExp[] = [
  // Limits of a time: OpenAI (vanna-flask#11), Groq with status 413 (autohandai/code-cli#338), Anthropic, Google.
  /\b(?:tokens?|requests?) per (?:min|minute|hour|day)\b|\b[TR]P[MD]\b|\brate[ _-]?limit|\bquota\b/i,
  // The length of one field: OpenAI for ids of calls (vercel/ai#8132), which LiteLLM calls an exceeded window (litellm#17343).
  /\b(?:string|array) too long\b|\b(?:string|array)_above_max_length\b/i,
  // The size of one field: pydantic (vLLM, Mistral, Cohere), Anthropic for tools.
  /\b(?:string_)?too_long\b|\bshould have at most \d{1,9} (?:characters?|items?)\b|\btoo many tools\b/i,
]

/**
 * Messages about the limit of output tokens of the request: OpenAI, vLLM, Anthropic, Groq, Google. Some of them name the
 * context window, because the limit alone exceeds what is left of it.
 */
const outputLimits =
  /\bmax_(?:completion_|output_|new_)?tokens['"`]?(?: or ['"`]max_completion_tokens['"`])?(?: is too large|: \d{1,9} > \d{1,9}, which is the maximum| must be less than or equal)|\bmax_output_tokens value of \d{1,9} but the supported range\b/i

/** Messages about a prompt that is too long for its model, and the codes that come with them. */
const contextRefusals: readonly RegExp[] = [
  // OpenAI, Azure, Groq; llama.cpp; GitHub Copilot; GitHub Models.
  /\b(?:context_length_exceeded|exceed_context_size_error|max_prompt_tokens_exceeded|tokens_limit_reached)\b/i,
  // Anthropic, Bedrock, Fireworks, Ollama.
  /\b(?:prompt|input)(?: is)? too (?:long|large)\b/i,
  // OpenAI, vLLM, SGLang, DeepSeek, Mistral, OpenRouter, xAI.
  /\bmaximum (?:context|prompt|model) length\b/i,
  // OpenAI Responses, Anthropic with max_tokens, llama.cpp, Ollama, SGLang.
  /\bexceed(?:s|ed)?(?: [a-z']+){0,3} context (?:length|limit|size|window)\b/i,
  /\bcontext (?:length|size|window)(?: has been)? exceed/i,
  // Google, GitHub; OpenAI.
  /\b(?:input|prompt) token count (?:is |of )?\(?\d{1,9}\)? (?:exceeds|but model only supports)\b/i,
  /\binput tokens exceed\b/i,
  // SGLang, LM Studio; vLLM, LM Studio; Groq, Cerebras.
  /\b(?:longer|greater) than the (?:model's )?context length\b/i,
  /\bcontext length (?:is|of) only\b/i,
  /\breduce the length of the (?:messages|prompt|input)\b/i,
  // Text Generation Inference; Moonshot; Zhipu; Qwen; Cohere.
  /\btokens \+ ['"`]?max_new_tokens['"`]? must be\b/i,
  /\binputs?['"`]? must have less than \d{1,9} tokens\b/i,
  /\bexceeded model token limit\b/i,
  /\bprompt exceeds max length\b/i,
  /\brange of input length should be\b/i,
  /\btokens in the prompt cannot exceed\b/i,
]

/** The size of the context window in the same messages. The first plausible match counts. */
const windowSizes: readonly RegExp[] = [
  // Anthropic: '210000 tokens > 200000 maximum', '190000 + 20000 > 200000'.
  /\d(?: tokens)? > (\d[\d,]{2,11})/i,
  /(\d[\d,]{2,11})(?: tokens)? maximum context length\b/i,
  /\b(?:context|prompt|model) (?:length|limit|size|window)(?: (?:is|of|only)){0,2}:? \(?(\d[\d,]{2,11})/i,
  /\b(?:tokens allowed|token limit:?|limit (?:is|of)|up to|must be <=|cannot exceed|less than) \(?(\d[\d,]{2,11})/i,
  /\blength should be \[\d{1,9}, ?(\d[\d,]{2,11})\]/i,
  /\bmax size: (\d[\d,]{2,11}) tokens\b/i,
  /\bn_ctx: (\d{3,9})\b/i,
]

/**
 * How refusals name the options. Top-p comes first: Anthropic refuses temperature and top-p together, and omitting
 * top-p changes less.
 */
const optionNames: readonly (readonly [option: keyof ModelOptions, pattern: RegExp])[] = [
  ['topP', /\btop[ _-]?p\b/i],
  ['temperature', /\btemperature\b/i],
  [
    'reasoningEffort',
    /\breasoning[_. -]?effort\b|\b(?:thinking|think|output)[ _]?(?:config|budget|level|value)\b|\bbudget_tokens\b/i,
  ],
  [
    'reasoningEffort',
    /\bthinking\.(?:type|enabled|adaptive)\b|\b(?:thinking|reasoning|output_config|think): /i,
  ],
  [
    'reasoningEffort',
    /\b(?:does not|doesn't|do not|cannot) support (?:the |adaptive |extended )?(?:thinking|think|reasoning|effort)\b/i,
  ],
  [
    'reasoningEffort',
    /\b(?:thinking|reasoning|effort) (?:is|are) not (?:supported|enabled|available|allowed)\b/i,
  ],
  [
    'reasoningEffort',
    /\b(?:parameter|argument|field|param|loc|supplied): ?['"`]?(?:thinking|think|reasoning|effort)\b/i,
  ],
]

const maxContextWindow = 100_000_000

/**
 * Replaces an error with a failure that says which part of the request the upstream refused, if the error shows it.
 * `body` is what was sent.
 */
export function explainRefusal(error: unknown, request: ModelRequest, upstream: string, body = ''): unknown {
  const rejection = readRejection(error)
  if (rejection === '' || !(error instanceof ModelFailure)) return error
  if (outputLimits.test(rejection) && !exceedsWith(request, rejection)) return outputLimitRefused(upstream)
  if (saysContextExceeded(rejection)) return contextExceeded(upstream, findContextWindow(rejection))
  const media = explainMediaRefusal(error, rejection, request, upstream, body)
  if (media !== undefined) return media
  const option = findRefusedOption(rejection, request.options)
  if (option !== undefined) return new RefusedOption(option)
  return request.tools.length > 0 && matches(toolRefusals, rejection) ? noToolSupport(upstream) : error
}

/** Whether an upstream's text says that the prompt is too long for its model. */
export function saysContextExceeded(text: string): boolean {
  return matches(contextRefusals, text) && !matches(otherLimits, text)
}

/** Whether a shorter prompt would leave enough of the named context window for the requested limit of output tokens. */
function exceedsWith({ maxTokens }: ModelRequest, rejection: string): boolean {
  const window = saysContextExceeded(rejection) ? findContextWindow(rejection) : undefined
  return window !== undefined && (maxTokens === null || maxTokens < window / 2)
}

function outputLimitRefused(upstream: string): ModelFailure {
  return new ModelFailure(
    'upstream_error',
    `${upstream} does not allow as many output tokens as this bot requests. Lower the max tokens of this bot.`,
  )
}

/** The option of the request that the upstream refused; undefined when it refused something else. */
function findRefusedOption(rejection: string, options: ModelOptions = {}): keyof ModelOptions | undefined {
  // An upstream that repeats the request names all its options.
  if (/"(?:messages|contents|input)":/.test(rejection)) return undefined
  return optionNames.find(([name, pattern]) => options[name] !== undefined && pattern.test(rejection))?.[0]
}

function noToolSupport(upstream: string): ModelFailure {
  return new ModelFailure(
    'tool_unavailable',
    `${upstream} reported that this model does not support tools. Choose another model for this bot.`,
  )
}

/**
 * Returns the failure for a prompt that is too long. `contextWindow` is in tokens, if the upstream named it.
 */
export function contextExceeded(
  upstream: string,
  contextWindow: number | undefined,
  rejection = '',
): ModelFailure {
  const size = contextWindow === undefined ? '' : ` (${contextWindow.toLocaleString('en')} tokens)`
  return new ModelFailure(
    'context_exceeded',
    `${upstream} reported that this conversation is too long for the model${size}. Start a new chat, or choose a model with a larger context window.`,
    rejection,
    contextWindow === undefined ? {} : { contextWindow },
  )
}

/** The size of the context window in a message about a prompt that is too long; undefined when it is not named. */
export function findContextWindow(rejection: string): number | undefined {
  for (const pattern of windowSizes) {
    const size = Number(pattern.exec(rejection)?.[1]?.replaceAll(',', ''))
    if (size >= 100 && size <= maxContextWindow) return size
  }
  return undefined
}

function matches(patterns: readonly RegExp[], rejection: string): boolean {
  return patterns.some((pattern) => pattern.test(rejection))
}

/** Fields in which an upstream repeats what it was sent. */
const repeatingFields: readonly string[] = ['input', 'body', 'request']

/**
 * The beginning of what the upstream wrote about its refusal. Fields of JSON become lines such as `param: temperature`.
 */
function readRejection(error: unknown): string {
  if (!(error instanceof ModelFailure)) return ''
  return flatten(error.rejection).slice(0, maxRefusalChars)
}

function flatten(body: string): string {
  const lines: string[] = []
  const parsed = parse(body)
  if (parsed === undefined) return body
  addLines(lines, '', parsed, 0)
  return lines.join('\n')
}

function addLines(lines: string[], key: string, value: unknown, depth: number): void {
  if (depth > 6 || repeatingFields.includes(key)) return
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value))
      addLines(lines, Array.isArray(value) ? key : name, inner, depth + 1)
    return
  }
  // OpenRouter quotes the response of a provider as JSON in a text.
  const quoted = typeof value === 'string' && value.startsWith('{') ? parse(value) : undefined
  if (quoted !== undefined) addLines(lines, key, quoted, depth + 1)
  else if (typeof value === 'string' || typeof value === 'number') lines.push(`${key}: ${value}`)
}

/** The object or array in a JSON text. */
function parse(text: string): object | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? value : undefined
}
