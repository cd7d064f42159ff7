import { checkMedia, readDataUrl, type WireMedia } from './media-checks.ts'
import { firstOf, firstRepeated, isJsonObject, refuse, type Check, type Refusal } from './refusal.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ResponsesBody extends Fields {
  readonly input: readonly {
    readonly type?: string
    readonly role?: string
    readonly content?: unknown
    readonly call_id?: string
    readonly name?: string
    readonly arguments?: string
    readonly encrypted_content?: string
    readonly output?: unknown
  }[]
}

interface ResponsesPart {
  readonly type: string
  readonly text?: string
  readonly image_url?: unknown
  readonly filename?: string
  readonly file_data?: unknown
}

function responsesMedia(parts: readonly ResponsesPart[]): readonly WireMedia[] {
  return parts.flatMap(({ type, image_url: url, file_data: data }) => {
    if (type === 'input_image') return [readDataUrl('picture', url)]
    return type === 'input_file' ? [readDataUrl('document', data)] : []
  })
}

function checkResponsesMedia({ input }: ResponsesBody, wantsTextResults: boolean): Refusal | undefined {
  const listOf = (value: unknown) => (Array.isArray(value) ? (value as readonly ResponsesPart[]) : [])
  if (wantsTextResults && input.some(({ output }) => Array.isArray(output)))
    return refuse('resultPictures', "Invalid type for 'input'.")
  if (input.some(({ role, content }) => role !== 'user' && responsesMedia(listOf(content)).length > 0))
    return refuse(
      'mediaRole',
      "Invalid value: 'input_image'. Supported values are: 'output_text', 'refusal'.",
    )
  const parts = input.flatMap(({ content, output }) => [...listOf(content), ...listOf(output)])
  if (parts.some(({ type, text = '' }) => type === 'input_text' && text.trim() === ''))
    return refuse('blankText', 'input_text: text must not be empty')
  if (parts.some(({ type, filename = '' }) => type === 'input_file' && filename === ''))
    return refuse('mediaForm', "Missing required parameter: 'input[0].content[0].filename'.")
  return checkMedia(responsesMedia(parts), 500)
}

interface ResponsesLimits {
  /** The encrypted reasoning of its own organisation, which it reads only. */
  readonly issued?: string
  /** Whether each reply and call follows a text of reasoning. */
  readonly wantsThinking?: boolean
  /** Whether a result must be a text. */
  readonly wantsTextResults?: boolean
}

export const checkResponses =
  ({ issued, wantsThinking = false, wantsTextResults = false }: ResponsesLimits): Check<ResponsesBody> =>
  (body) => {
    const { input } = body
    const calls = input.filter(({ type }) => type === 'function_call')
    const outputs = input.filter(({ type }) => type === 'function_call_output')
    const ids = calls.map(({ call_id: id = '' }) => id)
    const long = ids.find((id) => id.length === 0 || id.length > 64)
    if (long !== undefined)
      return refuse(
        'callIdForm',
        `Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${long.length} instead.`,
      )
    const repeated = firstRepeated(ids) ?? firstRepeated(outputs.map(({ call_id: id = '' }) => id))
    if (repeated !== undefined)
      return refuse('callIdUnique', `Duplicate item found with call_id ${repeated}.`)
    const open = ids.find((id) => !outputs.some(({ call_id: answered }) => answered === id))
    if (open !== undefined) return refuse('callsAnswered', `No tool output found for function call ${open}.`)
    const orphan = outputs.find(({ call_id: id = '' }) => !ids.includes(id))
    if (orphan !== undefined)
      return refuse(
        'callsAnswered',
        `No tool call found for function call output with call_id ${orphan.call_id}.`,
      )
    const media = checkResponsesMedia(body, wantsTextResults)
    if (media !== undefined) return media
    return firstOf(input, (item, index) => {
      const isReply = item.type === 'function_call' || item.role === 'assistant'
      if (wantsThinking && isReply && !/"reasoning_text","text":"[^"]/.test(JSON.stringify(input[index - 1])))
        return refuse(
          'reasoningContent',
          'The `reasoning_text` in the thinking mode must be passed back to the API.',
        )
      if (item.type === 'function_call' && !/^[a-zA-Z0-9_-]{1,64}$/.test(item.name ?? ''))
        return refuse('toolNames', "Invalid 'input[1].name': string does not match pattern.")
      if (item.type === 'function_call' && !isJsonObject(item.arguments ?? ''))
        return refuse('callArguments', 'invalid function call arguments')
      if (item.encrypted_content !== undefined && item.encrypted_content !== issued)
        return refuse(
          'sealedReasoning',
          'The encrypted content could not be verified. Reason: Encrypted content organization_id did not match the target organization.',
        )
      return undefined
    })
  }

interface AnthropicBlock extends Fields {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly thinking?: string
  readonly signature?: string
  readonly source?: { readonly type?: string; readonly media_type?: string; readonly data?: string }
  /** Of the result of a tool. */
  readonly content?: unknown
}

function blocksWithin(block: AnthropicBlock): readonly AnthropicBlock[] {
  return Array.isArray(block.content) ? [block, ...(block.content as readonly AnthropicBlock[])] : [block]
}

function anthropicMedia(blocks: readonly AnthropicBlock[]): readonly WireMedia[] {
  return blocks.flatMap(({ type, source }) => {
    if (type !== 'image' && type !== 'document') return []
    const kind = type === 'image' ? 'picture' : 'document'
    return [{ kind, mediaType: source?.media_type ?? '', data: source?.data ?? '' }]
  })
}

export interface AnthropicBody extends Fields {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: readonly AnthropicBlock[] }[]
  readonly tools?: readonly unknown[]
  readonly thinking?: {
    readonly type?: string
    readonly block_binding?: { readonly prefix_mismatch_behavior?: string }
  }
}

interface AnthropicLimits {
  /** The signature of its own thinking. */
  readonly issued: string
  /** Whether temperature, top-p and top-k are refused. */
  readonly refusesSampling: boolean
  /** Whether thinking is bound to its prefix, which a random history never has. */
  readonly bindsThinking?: boolean
  /** Whether it thinks only with a budget, so that a request without one has no thinking in the current turn. */
  readonly wantsBudget?: boolean
  /** Whether each reply begins with thinking, which need not be signed. */
  readonly wantsThinking?: boolean
}

export const checkAnthropic =
  (limits: AnthropicLimits): Check<AnthropicBody> =>
  (body) => {
    const { messages } = body
    const blocks = messages.flatMap(({ content }) => content)
    const uses = blocks.filter(({ type }) => type === 'tool_use')
    const repeated = firstRepeated(uses.map(({ id = '' }) => id))
    if (repeated !== undefined)
      return refuse('callIdUnique', 'messages.1.content.1: `tool_use` ids must be unique')
    if (uses.length > 0 && body.tools === undefined)
      return refuse(
        'toolsWithCalls',
        'Requests which include `tool_use` or `tool_result` blocks must define tools',
      )
    const media = checkMedia(anthropicMedia(blocks.flatMap(blocksWithin)), 100)
    if (media !== undefined) return media
    const sampling = ['temperature', 'top_p', 'top_k'].find((name) => body[name] !== undefined)
    if (limits.refusesSampling && sampling !== undefined)
      return refuse('sampling', `\`${sampling}\` is deprecated for this model.`)
    if (messages.at(-1)?.role === 'assistant')
      return refuse(
        'lastRole',
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      )
    return (
      firstOf(messages, (message, index) => {
        if (message.role === messages[index - 1]?.role || (index === 0 && message.role !== 'user'))
          return refuse('roleOrder', 'messages: roles must alternate between "user" and "assistant"')
        if (limits.wantsThinking && message.role === 'assistant' && !message.content[0]?.thinking?.trim())
          return refuse(
            'reasoningContent',
            'The `content[].thinking` in the thinking mode must be passed back to the API.',
          )
        if (message.role === 'assistant' && anthropicMedia(message.content).length > 0)
          return refuse(
            'assistantDocuments',
            'messages.1: document blocks are not permitted in assistant turns',
          )
        return checkAnthropicMessage(message, messages[index - 1]?.content ?? [])
      }) ?? checkThinking(body, limits)
    )
  }

function checkAnthropicMessage(
  { content }: AnthropicBody['messages'][number],
  before: readonly AnthropicBlock[],
): Refusal | undefined {
  if (content.length === 0) return refuse('blankText', 'messages.1: all messages must have non-empty content')
  const results = content.filter(({ type }) => type === 'tool_result')
  const asked = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
  if (asked.some((id) => !results.some(({ tool_use_id: answered }) => answered === id)))
    return refuse(
      'callsAnswered',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    )
  if (results.length !== asked.length)
    return refuse('callsAnswered', 'messages.1: unexpected `tool_use_id` found in `tool_result` blocks')
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return refuse('resultsGrouped', 'messages.1: `tool_result` blocks must come first in the content')
  const isText = ({ type }: AnthropicBlock) => type === 'text'
  const isMedia = ({ type }: AnthropicBlock) => type === 'image' || type === 'document'
  if (
    content.some(isMedia) &&
    content.findIndex(isText) >= 0 &&
    content.findLastIndex(isMedia) > content.findIndex(isText)
  )
    return refuse('mediaOrder', 'messages.1: images come before text')
  return firstOf(content.flatMap(blocksWithin), ({ type, text = '', id = '', name = '', input }) => {
    if (type === 'text' && text.trim() === '')
      return refuse('blankText', 'messages: text content blocks must contain non-whitespace text')
    if (type !== 'tool_use') return undefined
    if (!/^[a-zA-Z0-9_-]+$/.test(id))
      return refuse(
        'callIdForm',
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      )
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return refuse(
        'toolNames',
        "messages.1.content.1.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      )
    return typeof input === 'object' && input !== null && !Array.isArray(input)
      ? undefined
      : refuse('callArguments', 'messages.1.content.1.tool_use.input: Input should be a valid dictionary')
  })
}

function checkThinking(
  { messages, thinking }: AnthropicBody,
  { issued, bindsThinking = false, wantsBudget = false, wantsThinking = false }: AnthropicLimits,
): Refusal | undefined {
  const thinkingIn = (some: AnthropicBody['messages']) =>
    some.flatMap(({ content }) => content.filter(({ type }) => type === 'thinking'))
  const blocks = thinkingIn(messages)
  const accepted = wantsThinking ? [issued, ''] : [issued]
  if (blocks.some(({ signature = '' }) => !accepted.includes(signature)))
    return refuse('sealedReasoning', 'messages.1.content.0: Invalid `signature` in `thinking` block')
  if (
    bindsThinking &&
    blocks.length > 0 &&
    thinking?.block_binding?.prefix_mismatch_behavior !== 'drop_block'
  )
    return refuse('thinkingPrefix', 'messages.1.content.0: The block is bound to a different conversation.')
  // By one reading a text after the results begins a turn, by another it does not.
  const turns = [
    messages.findLastIndex(({ role, content }) => role === 'user' && content.at(-1)?.type !== 'tool_result'),
    messages.findLastIndex(({ role, content }) => role === 'user' && content[0]?.type !== 'tool_result'),
  ].map((start) => messages.slice(start + 1).filter(({ role }) => role === 'assistant'))
  return firstOf(turns, (turn) => {
    if (thinking?.type !== 'enabled')
      return wantsBudget && thinkingIn(turn).length > 0
        ? refuse(
            'thinkingTurn',
            'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.',
          )
        : undefined
    return turn[0] !== undefined && turn[0].content[0]?.type !== 'thinking'
      ? refuse(
          'thinkingTurn',
          'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
        )
      : undefined
  })
}

interface GooglePart extends Fields {
  readonly text?: string
  readonly functionCall?: { readonly name: string; readonly args: unknown }
  readonly functionResponse?: { readonly name: string; readonly parts?: readonly GooglePart[] }
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string }
}

function googleMedia(parts: readonly GooglePart[]): readonly WireMedia[] {
  return parts.flatMap(({ inlineData, functionResponse }): readonly WireMedia[] => {
    const within = googleMedia(functionResponse?.parts ?? [])
    if (inlineData === undefined) return within
    const { mimeType = '', data = '' } = inlineData
    return [{ kind: mimeType === 'application/pdf' ? 'document' : 'picture', mediaType: mimeType, data }]
  })
}

export interface GoogleBody extends Fields {
  readonly contents: readonly { readonly role: string; readonly parts: readonly GooglePart[] }[]
}

const googlePictures = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']

interface GoogleLimits {
  readonly issued: string
  readonly wantsSignatures: boolean
}

export const checkGoogle =
  ({ issued, wantsSignatures }: GoogleLimits): Check<GoogleBody> =>
  ({ contents }) => {
    if (contents[0]?.role !== 'user')
      return refuse('roleOrder', 'Please ensure that the conversation starts with a user turn.')
    const turnStart = contents.findLastIndex(
      ({ role, parts }) => role === 'user' && parts.some((part) => part.functionResponse === undefined),
    )
    const media = checkMedia(googleMedia(contents.flatMap(({ parts }) => parts)), 3_600, googlePictures)
    if (media !== undefined) return media
    return firstOf(contents, ({ parts }, index) => {
      if (parts.length === 0)
        return refuse('blankText', 'GenerateContentRequest.contents[1].parts must not be empty.')
      const calls = parts.filter((part) => part.functionCall !== undefined)
      const before = contents[index - 1]?.parts.filter((part) => part.functionCall !== undefined) ?? []
      const responses = parts.filter((part) => part.functionResponse !== undefined)
      if (responses.length !== before.length)
        return refuse(
          'resultsGrouped',
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        )
      if (responses.length > 0 && parts.length > responses.length)
        return refuse('resultsGrouped', 'Function response parts must be alone in their content.')
      if (!wantsSignatures && responses.some(({ functionResponse }) => functionResponse?.parts !== undefined))
        return refuse('resultPictures', 'Multimodal function responses are not supported by this model.')
      if (calls.length > 0 && contents[index - 1]?.role !== 'user')
        return refuse(
          'roleOrder',
          'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        )
      if (calls.length > 0 && index === contents.length - 1)
        return refuse(
          'callsAnswered',
          'Please ensure that function response turn comes immediately after a function call turn.',
        )
      const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])
      if (signatures.some((text) => text !== issued && text !== 'skip_thought_signature_validator'))
        return refuse('signatures', 'Thought signature is not valid.')
      if (
        wantsSignatures &&
        index > turnStart &&
        calls.length > 0 &&
        calls[0]?.thoughtSignature === undefined
      )
        return refuse('signatures', 'Function call is missing a thought_signature in functionCall parts.')
      return firstOf(calls, ({ functionCall }) => {
        if (!/^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$/.test(functionCall?.name ?? ''))
          return refuse('toolNames', 'Invalid function name. Must start with a letter or an underscore.')
        const args = functionCall?.args
        return typeof args === 'object' && args !== null && !Array.isArray(args)
          ? undefined
          : refuse(
              'callArguments',
              'Invalid value at function_call.args (type.googleapis.com/google.protobuf.Struct)',
            )
      })
    })
  }
