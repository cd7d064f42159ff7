import { checkMedia, readDataUrl, type WireMedia } from './media-checks.ts'
import { firstOf, firstRepeated, isJsonObject, refuse, type Check } from './refusal.ts'

export interface ChatCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } }
}

export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly name?: string
  readonly tool_calls?: readonly ChatCall[]
  readonly tool_call_id?: string
  readonly reasoning_content?: unknown
  readonly reasoning_details?: readonly { readonly signature?: string }[]
}

/** The body of a chat completion. */
export interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly {
    readonly function: {
      readonly name: string
      readonly description?: string
      readonly parameters: Readonly<Record<string, unknown>>
    }
  }[]
  readonly [option: string]: unknown
}

type ChatCheck = Check<ChatBody>

interface ChatPart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url?: unknown }
  readonly file?: { readonly filename?: string; readonly file_data?: unknown }
}

const partsOf = ({ content }: ChatMessage): readonly ChatPart[] =>
  Array.isArray(content) ? (content as readonly ChatPart[]) : []

function mediaOf(message: ChatMessage): readonly WireMedia[] {
  return partsOf(message).flatMap(({ type, image_url: image, file }) => {
    if (type === 'image_url') return [readDataUrl('picture', image?.url)]
    return type === 'file' ? [readDataUrl('document', file?.file_data)] : []
  })
}

export const mediaFromUser: ChatCheck = ({ messages }) =>
  firstOf(messages, (message, index) =>
    mediaOf(message).length === 0 || message.role === 'user'
      ? undefined
      : refuse(
          'mediaRole',
          `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${message.role}' contains an image URL.`,
        ),
  )

export const wellFormedMedia =
  (maxPictures: number): ChatCheck =>
  ({ messages }) => {
    const unknown = messages
      .flatMap(partsOf)
      .find(({ type }) => !['text', 'image_url', 'file'].includes(type))
    if (unknown !== undefined) return refuse('mediaForm', `Invalid value: '${unknown.type}'.`)
    return checkMedia(messages.flatMap(mediaOf), maxPictures)
  }

/** DeepSeek's message, which others of those servers have in their own words. */
export const textsAreNoLists: ChatCheck = ({ messages }) =>
  firstOf(messages, (message, index) =>
    Array.isArray(message.content) && mediaOf(message).length === 0
      ? refuse('onlyTexts', `messages[${index}]: invalid type: sequence, expected a string`)
      : undefined,
  )

export const noBlankParts: ChatCheck = ({ messages }) =>
  messages.flatMap(partsOf).some(({ type, text = '' }) => type === 'text' && text.trim() === '')
    ? refuse('blankText', 'messages: text content blocks must be non-empty')
    : undefined

export const plainFileNames: ChatCheck = ({ messages }) => {
  const names = messages.flatMap(partsOf).flatMap(({ file }) => file?.filename ?? [])
  if (firstRepeated(names) !== undefined)
    return refuse('fileNames', 'Messages contains duplicate document names.')
  return firstOf(names, (name) =>
    /^(?! )(?!.* {2})[a-zA-Z0-9 ()[\]-]{1,200}$/.test(name)
      ? undefined
      : refuse(
          'fileNames',
          "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
        ),
  )
}

const callsOf = ({ messages }: ChatBody): readonly ChatCall[] =>
  messages.flatMap((message) => message.tool_calls ?? [])
const withoutSystem = ({ messages }: ChatBody): readonly ChatMessage[] =>
  messages.filter(({ role }) => role !== 'system' && role !== 'developer')

export const callsAnswered: ChatCheck = ({ messages }) => {
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      const at = open.indexOf(message.tool_call_id ?? '')
      if (at < 0)
        return refuse(
          'callsAnswered',
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        )
      open.splice(at, 1)
      continue
    }
    if (open.length > 0) return unanswered(open)
    open = (message.tool_calls ?? []).map(({ id }) => id)
  }
  return open.length > 0 ? unanswered(open) : undefined
}

function unanswered(open: readonly string[]) {
  return refuse(
    'callsAnswered',
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
  )
}

export const idsUnique: ChatCheck = (body) => {
  const id = firstRepeated(callsOf(body).map((call) => call.id))
  return id === undefined ? undefined : refuse('callIdUnique', `Duplicate tool call id: ${id}`)
}

export const idsUpTo40: ChatCheck = (body) =>
  firstOf(callsOf(body), ({ id }) =>
    id.length > 0 && id.length <= 40
      ? undefined
      : refuse(
          'callIdForm',
          `Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
        ),
  )

export const idsOfNine: ChatCheck = (body) =>
  firstOf(callsOf(body), ({ id }) =>
    /^[a-zA-Z0-9]{9}$/.test(id)
      ? undefined
      : refuse('callIdForm', `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`),
  )

export const idsOfBedrock: ChatCheck = (body) =>
  firstOf(callsOf(body), ({ id }) =>
    /^[a-zA-Z0-9_-]{1,64}$/.test(id)
      ? undefined
      : refuse(
          'callIdForm',
          `Value '${id}' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
        ),
  )

/** The order of mistral-common's validator: the assistant comes between results and the user. */
export const mistralOrder: ChatCheck = ({ messages }) => {
  const next: Readonly<Record<string, readonly string[]>> = {
    system: ['user', 'assistant', 'system'],
    user: ['assistant', 'system', 'user'],
    assistant: ['assistant', 'user', 'tool'],
    tool: ['assistant', 'tool'],
  }
  return firstOf(messages.slice(1), ({ role }, index) => {
    const before = messages[index]?.role ?? ''
    return next[before]?.includes(role)
      ? undefined
      : refuse('roleOrder', `Unexpected role '${role}' after role '${before}'`)
  })
}

/** The chat templates of Mistral, Gemma and others: without calls and results, user and assistant alternate. */
export const alternating: ChatCheck = (body) => {
  const speaking = withoutSystem(body).filter(
    ({ role, tool_calls }) => role === 'user' || (role === 'assistant' && tool_calls === undefined),
  )
  return firstOf(speaking, ({ role }, index) =>
    role === (index % 2 === 0 ? 'user' : 'assistant')
      ? undefined
      : refuse(
          'roleOrder',
          'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
        ),
  )
}

export const systemFirst: ChatCheck = ({ messages }) =>
  messages.findLastIndex(({ role }) => role === 'system') > 0
    ? refuse('roleOrder', 'System message must be at the beginning.')
    : undefined

export const userFirst: ChatCheck = (body) =>
  withoutSystem(body)[0]?.role === 'user'
    ? undefined
    : refuse('roleOrder', 'No user query found in messages.')

export const lastNotAssistant: ChatCheck = ({ messages }) =>
  messages.at(-1)?.role === 'assistant'
    ? refuse(
        'lastRole',
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      )
    : undefined

export const contentIsText: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ content }) =>
    typeof content === 'string' || Array.isArray(content)
      ? undefined
      : refuse('contentBesideCalls', 'invalid message content type: <nil>'),
  )

export const contentNotNull: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ content }) =>
    typeof content === 'string' || Array.isArray(content)
      ? undefined
      : refuse(
          'contentBesideCalls',
          'Invalid request content: Each message must have at least one content element.',
        ),
  )

/** What gateways to Bedrock say of a text block that has no text. */
export const noBlankContent: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ content }) =>
    typeof content === 'string' && content.trim() === ''
      ? refuse('contentBesideCalls', 'messages: text content blocks must be non-empty')
      : undefined,
  )

export const assistantNotEmpty: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ role, content, tool_calls }, index) =>
    role === 'assistant' && tool_calls === undefined && (typeof content !== 'string' || content.trim() === '')
      ? refuse('blankText', `the message at position ${index} with role 'assistant' must not be empty`)
      : undefined,
  )

/** DeepSeek with thinking, in the reading that asks for it in each turn. An empty text is refused by one reading. */
export const thinkingOfEveryReply: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ role, reasoning_content: text }) =>
    role !== 'assistant' || (typeof text === 'string' && text.trim() !== '')
      ? undefined
      : refuse(
          'reasoningContent',
          'The `reasoning_content` in the thinking mode must be passed back to the API.',
        ),
  )

export const thinkingOfEveryCall: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ tool_calls, reasoning_content: text }, index) =>
    tool_calls === undefined || (typeof text === 'string' && text !== '')
      ? undefined
      : refuse(
          'reasoningContent',
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
        ),
  )

/** The fields of OpenAI's messages; `name` is allowed with results, as Groq's examples and Mistral have it. */
const messageFields = ['role', 'content', 'name', 'tool_calls', 'tool_call_id']

export const noUnknownMessageFields: ChatCheck = ({ messages }) =>
  firstOf(messages, (message, index) => {
    const unknown = Object.keys(message).find((field) => !messageFields.includes(field))
    return unknown === undefined
      ? undefined
      : refuse('unknownFields', `property 'messages.${index}.${unknown}' is unsupported`)
  })

export const noNameWithResults: ChatCheck = ({ messages }) =>
  messages.some(({ role, name }) => role === 'tool' && name !== undefined)
    ? refuse('nameWithResults', "Invalid request content: Only messages of role 'user' can have a name.")
    : undefined

/** Google's address for OpenAI's form takes the name of a result from the message. */
export const nameWithResults: ChatCheck = ({ messages }) =>
  messages.some(({ role, name }) => role === 'tool' && name === undefined)
    ? refuse(
        'nameWithResults',
        'GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.',
      )
    : undefined

/** The chat template of Llama 3. */
export const oneCallPerMessage: ChatCheck = ({ messages }) =>
  messages.some(({ tool_calls: calls }) => (calls?.length ?? 1) !== 1)
    ? refuse('oneCallPerMessage', 'This model only supports single tool-calls at once!')
    : undefined

/** The chat template of Gemma 2. */
export const noSystem: ChatCheck = ({ messages }) =>
  messages.some(({ role }) => role === 'system' || role === 'developer')
    ? refuse('systemRole', 'System role not supported')
    : undefined

export const noEmptyDescriptions: ChatCheck = ({ tools = [] }) =>
  tools.some((tool) => tool.function.description === '')
    ? refuse(
        'toolDescription',
        "Value '' at 'toolConfig.tools.1.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1",
      )
    : undefined

export const noUnknownOptions =
  (known: readonly string[], status = 400): ChatCheck =>
  (body) => {
    const unknown = Object.keys(body).find((field) => !known.includes(field))
    return unknown === undefined
      ? undefined
      : refuse('unknownFields', `Extra inputs are not permitted: body.${unknown}`, status)
  }

export const noStreamOptions: ChatCheck = (body) =>
  body['stream_options'] === undefined
    ? undefined
    : refuse('unknownFields', 'Unrecognized request argument supplied: stream_options')

export const toolNames: ChatCheck = (body) => {
  const names = [
    ...(body.tools ?? []).map((tool) => tool.function.name),
    ...callsOf(body).map((call) => call.function.name),
    ...body.messages.flatMap(({ name }) => name ?? []),
  ]
  return firstOf(names, (name) =>
    /^[a-zA-Z0-9_-]{1,64}$/.test(name)
      ? undefined
      : refuse(
          'toolNames',
          `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
        ),
  )
}

export const callCount: ChatCheck = ({ messages }) =>
  firstOf(messages, ({ tool_calls: calls }, index) =>
    calls === undefined || (calls.length > 0 && calls.length <= 128)
      ? undefined
      : refuse(
          'toolCount',
          `Invalid 'messages[${index}].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length ${calls.length} instead.`,
        ),
  )

export const toolLimits: ChatCheck = ({ tools }) => {
  if (tools === undefined) return undefined
  if (tools.length === 0) return refuse('toolCount', "[] is too short - 'tools'")
  if (tools.length > 128)
    return refuse('toolCount', `Invalid 'tools': array too long. Expected an array with maximum length 128.`)
  return firstOf(tools, ({ function: { parameters } }) =>
    parameters['type'] === 'object' && !['anyOf', 'oneOf', 'allOf'].some((key) => key in parameters)
      ? undefined
      : refuse('toolSchema', 'Invalid schema for function: schema must have type "object".'),
  )
}

export const jsonArguments: ChatCheck = (body) =>
  firstOf(callsOf(body), (call) =>
    isJsonObject(call.function.arguments)
      ? undefined
      : refuse('callArguments', 'invalid tool call arguments'),
  )

export const toolsWithCalls: ChatCheck = (body) =>
  body.tools === undefined && callsOf(body).length > 0
    ? refuse(
        'toolsWithCalls',
        "UnsupportedParamsError: doesn't support tool calling without `tools=` param specified for it.",
      )
    : undefined

/** OpenRouter passes signed thinking on to the provider that made it. */
export const ownDetails =
  (issued: string): ChatCheck =>
  ({ messages }) =>
    messages.some(({ reasoning_details: details = [] }) =>
      details.some(({ signature }) => signature !== issued),
    )
      ? refuse('sealedReasoning', 'messages.1.content.0: Invalid `signature` in `thinking` block')
      : undefined

/** Gemini 3 through its compatible address. A signature of another model is refused by one reading. */
export const signedCalls =
  (issued: string): ChatCheck =>
  ({ messages }) => {
    const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    const signatures = callsOf({ model: '', messages }).map(
      (call) => call.extra_content?.google?.thought_signature,
    )
    const accepted = [undefined, 'skip_thought_signature_validator', issued]
    if (signatures.some((signature) => !accepted.includes(signature)))
      return refuse('signatures', 'Thought signature is not valid.')
    return firstOf(turn, ({ tool_calls: calls }) =>
      calls?.[0] !== undefined && calls[0].extra_content?.google?.thought_signature === undefined
        ? refuse('signatures', 'Function call is missing a thought_signature in functionCall parts.')
        : undefined,
    )
  }

export const noMaxTokens: ChatCheck = (body) =>
  body['max_tokens'] === undefined
    ? undefined
    : refuse(
        'limitField',
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      )

export const noMaxCompletionTokens: ChatCheck = (body) =>
  body['max_completion_tokens'] === undefined
    ? undefined
    : refuse('limitField', 'Unrecognized request argument supplied: max_completion_tokens')

export const temperatureOne: ChatCheck = (body) =>
  body['temperature'] === undefined || body['temperature'] === 1
    ? undefined
    : refuse('sampling', 'invalid temperature: only 1 is allowed for this model')

export const noEffortWithTools: ChatCheck = (body) =>
  body.tools === undefined || body['reasoning_effort'] === 'none'
    ? undefined
    : refuse(
        'effortWithTools',
        "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead, or set reasoning_effort to 'none'.",
      )

export const noEffort: ChatCheck = (body) =>
  body['reasoning_effort'] === undefined
    ? undefined
    : refuse('sampling', 'Argument not supported on this model: reasoningEffort, reasoning_effort')
