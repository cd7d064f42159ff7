import {
  blocksOf,
  longIdPattern,
  missesThinking,
  movePictures,
  shownThinking,
  thinkingFor,
  toDataUrl,
  writeCallIds,
  writeToolName,
  type ReturnedThinking,
} from '../conversation.ts'
import {
  callsOf,
  mediaOf,
  textOf,
  type MediaPart,
  type ModelMessage,
  type ModelRequest,
  type ResultPart,
} from '../model.ts'
import { readNote } from '../reply-parts.ts'
import type { Dialect } from '../upstream/stream-reply.ts'
import { ofWireFormat } from '../upstream/wire-format.ts'
import { openFileNamer } from './file-names.ts'
import { ResponseEventReader, type ResponsesNote } from './read-response-events.ts'

/** Fields that not every model supports. */
interface ResponsesDialect extends Dialect {
  /** The reasoning of earlier replies. What the server has sent is encrypted, and comes before calls. */
  readonly thinking: ReturnedThinking
  readonly requestsEncryptedReasoning: boolean
  readonly requestsSummaries: boolean
  /** Whether a result may have pictures; else they come from the user. */
  readonly picturesInResults: boolean
}

/** Models without reasoning. Others are recognised by their refusal. */
const plainModel = /\b(?:gpt-3|gpt-4|chatgpt-4o|gpt-5-chat)/i

/**
 * The Responses API of OpenAI and compatible servers. The conversation is not stored there: the reasoning between tool
 * calls is received encrypted and sent back with their results.
 */
export const responsesFormat = ofWireFormat<ResponsesDialect>({
  apiType: 'openai-responses',
  defaultPath: () => '/responses',
  firstDialect({ model }, url) {
    const reasons = !plainModel.test(model)
    return {
      thinking: thinkingFor(model, url),
      requestsEncryptedReasoning: reasons,
      requestsSummaries: reasons,
      picturesInResults: true,
      leftOut: [],
    }
  },
  writeBody: writeRequest,
  adaptDialect,
  openReader: (target, parts) => new ResponseEventReader(target, parts),
})

/** llama.cpp, LM Studio, SGLang and others know a result as a text only. */
const refusesOutputList = /\boutput\b|'input'|\bvalid string\b/i

/** `rs_` begins the ids of such items, for example in “Item 'rs_1' of type 'reasoning' was provided without …”. */
const namesReasoningItem = /encrypted|reasoning.{0,9}item|\brs_/i

/** Never returns to an earlier dialect, so the attempts end. */
function adaptDialect(
  dialect: ResponsesDialect,
  rejection: string,
  { messages }: ModelRequest,
): ResponsesDialect | undefined {
  const hasNotes = messages.some((message) => callsOf(message).some(({ note }) => note !== undefined))
  const hasPictures = messages.some((message) => message.role === 'tool' && mediaOf(message).length > 0)
  if (dialect.picturesInResults && hasPictures && refusesOutputList.test(rejection))
    return { ...dialect, picturesInResults: false }
  if (dialect.thinking === 'own' && missesThinking(rejection)) return { ...dialect, thinking: 'every' }
  if (dialect.thinking !== 'none' && hasNotes && namesReasoningItem.test(rejection))
    return { ...dialect, thinking: 'none' }
  if (dialect.requestsEncryptedReasoning && /encrypted|\binclude\b/i.test(rejection))
    return { ...dialect, requestsEncryptedReasoning: false }
  if (dialect.requestsSummaries && /summar|['"`]reasoning['"`]/i.test(rejection))
    return { ...dialect, requestsSummaries: false }
  return undefined
}

function writeRequest(request: ModelRequest, dialect: ResponsesDialect, source: string): string {
  const { instructions, maxTokens, tools, options: { temperature, topP, reasoningEffort } = {} } = request
  const reasoning = {
    ...(reasoningEffort === undefined ? {} : { effort: reasoningEffort }),
    ...(dialect.requestsSummaries ? { summary: 'auto' } : {}),
  }
  return JSON.stringify({
    model: request.model,
    input: writeItems(request, dialect, source),
    stream: true,
    store: false,
    ...(dialect.requestsEncryptedReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            name,
            ...(description !== '' && { description }),
            parameters: inputSchema,
            // The default would require all parameters of every tool.
            strict: false,
          })),
        }),
  })
}

const nameFile = openFileNamer(false)

/** A text alone is no list, so that servers that take only texts read it, and the same history keeps its bytes. */
function writeContent(message: Exclude<ModelMessage, { role: 'tool' }>): string | object[] {
  if (message.role === 'assistant' || mediaOf(message).length === 0) return textOf(message)
  return blocksOf(message).map((block) =>
    typeof block === 'string' ? { type: 'input_text', text: block } : writeMedia(block),
  )
}

/** `detail` has its default. The documentation requires it, and so do some servers. */
function writeMedia(part: MediaPart): object {
  return part.mediaType === 'application/pdf'
    ? { type: 'input_file', filename: nameFile(part.name), file_data: toDataUrl(part) }
    : { type: 'input_image', detail: 'auto', image_url: toDataUrl(part) }
}

function writeOutput({ text, media = [] }: ResultPart, hasPictures: boolean): string | object[] {
  if (!hasPictures || media.length === 0) return text
  return [...(text === '' ? [] : [{ type: 'input_text', text }]), ...media.map(writeMedia)]
}

function writeItems(
  { messages: given }: ModelRequest,
  { thinking, picturesInResults }: ResponsesDialect,
  source: string,
): object[] {
  const messages = picturesInResults ? given : movePictures(given)
  const ids = writeCallIds(messages, (call) => longIdPattern.test(call.id))
  return messages.flatMap((message, index): object[] => {
    if (message.role === 'tool') {
      return message.parts.map((result, place) => ({
        type: 'function_call_output',
        call_id: ids[index - 1]?.[place],
        output: writeOutput(result, picturesInResults),
      }))
    }
    const made = thinking === 'every' ? [writeReasoning(message)] : []
    const calls = callsOf(message).map(({ name, arguments: text, note }, place) => {
      const own = thinking === 'none' ? undefined : (readNote(note, source) as ResponsesNote | undefined)
      return {
        reasoning: own?.reasoning ?? made,
        call: {
          type: 'function_call',
          call_id: ids[index]?.[place],
          name: writeToolName(name),
          arguments: text,
        },
      }
    })
    const content = writeContent(message)
    const texts = content.length === 0 ? [] : [{ role: message.role, content }]
    if (message.role === 'assistant' && thinking === 'every')
      return [
        ...texts.flatMap((item) => [...made, item]),
        ...calls.flatMap(({ reasoning, call }) => [...reasoning, call]),
      ]
    // The model reasons before it writes, so the reasoning of the first call precedes the text of the turn.
    return [
      ...(calls[0]?.reasoning ?? []),
      ...texts,
      ...calls.flatMap(({ reasoning, call }, place) => [...(place === 0 ? [] : reasoning), call]),
    ]
  })
}

function writeReasoning({ parts }: ModelMessage): object {
  const content = [{ type: 'reasoning_text', text: shownThinking(parts) }]
  return { type: 'reasoning', summary: [], content }
}
