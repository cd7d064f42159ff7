import {
  anySignature,
  blocksOf,
  isOwnCall,
  movePictures,
  shortIdPattern,
  shownThinking,
  toDataUrl,
  writeCallIds,
  writeToolName,
} from '../conversation.ts'
import {
  callsOf,
  mediaOf,
  textOf,
  type CallPart,
  type MediaPart,
  type ModelMessage,
  type ModelRequest,
} from '../model.ts'
import { readNote } from '../reply-parts.ts'
import { ofWireFormat } from '../upstream/wire-format.ts'
import { adaptDialect, firstDialect, type ChatDialect } from './chat-dialects.ts'
import { openFileNamer, type FileNamer } from './file-names.ts'
import { ChunkReader, type OpenaiNote } from './read-chunks.ts'

/** OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and others. */
export const chatFormat = ofWireFormat<ChatDialect>({
  apiType: 'openai',
  defaultPath: () => '/chat/completions',
  firstDialect,
  writeBody: writeRequest,
  adaptDialect,
  openReader: (target, parts) => new ChunkReader(target, parts),
})

function writeRequest(request: ModelRequest, dialect: ChatDialect, source: string): string {
  const { temperature, topP, reasoningEffort } = request.options ?? {}
  const hasTools = request.tools.length > 0
  const effort = reasoningEffort ?? (dialect.stopsReasoning && hasTools ? 'none' : undefined)
  return JSON.stringify({
    model: request.model,
    messages: writeMessages(request, dialect, source),
    stream: true,
    stream_options: { include_usage: true },
    ...(request.maxTokens === null ? {} : { [dialect.limitField]: request.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(hasTools
      ? {
          tools: request.tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: { name, ...(description !== '' && { description }), parameters: inputSchema },
          })),
        }
      : {}),
  })
}

type Written = Record<string, unknown>

/** What the assistant says between results and the next message of the user: many servers want it to say something. */
const noReply = '[No reply]'

function writeMessages(
  { instructions, messages: given }: ModelRequest,
  dialect: ChatDialect,
  source: string,
): Written[] {
  const messages = movePictures(given)
  const nameFile = openFileNamer(dialect.plainFileNames)
  const ids = writeCallIds(messages, (call) => shortIdPattern.test(call.id) || isOwnCall(call, source))
  const written = messages.flatMap((message, index): Written[] => {
    const next = messages[index + 1]
    switch (message.role) {
      case 'user': {
        const user = { role: 'user', content: writeContent(message, nameFile) }
        const isAfterResults = messages[index - 1]?.role === 'tool'
        return isAfterResults ? [writeAssistant([], noReply, dialect), user] : [user]
      }
      case 'assistant': {
        const calls = callsOf(message)
        if (calls.length === 0) return [writeAssistant(message.parts, textOf(message), dialect)]
        if (!dialect.splitsCalls) return [writeCalls(message, calls, ids[index] ?? [], dialect, source)]
        const results = next?.role === 'tool' ? writeResults(next, ids[index] ?? []) : []
        return calls.flatMap((call, place) => {
          const parts = message.parts.filter((part) => part === call || (place === 0 && part.type !== 'call'))
          const own = writeCalls({ ...message, parts }, [call], [ids[index]?.[place] ?? ''], dialect, source)
          return [own, ...results.slice(place, place + 1)]
        })
      }
      case 'tool':
        return dialect.splitsCalls ? [] : writeResults(message, ids[index - 1] ?? [])
    }
  })
  if (instructions === undefined) return written
  const [first] = written
  if (dialect.instructionsRole !== 'user' || first?.['role'] !== 'user')
    return [{ role: dialect.instructionsRole, content: instructions }, ...written]
  return [{ ...first, content: putBefore(instructions, first['content'] as Content) }, ...written.slice(1)]
}

/** A text alone is no list: many servers take only texts, and the same history keeps its bytes. */
type Content = string | readonly object[]

function writeContent(message: Extract<ModelMessage, { role: 'user' }>, nameFile: FileNamer): Content {
  if (mediaOf(message).length === 0) return textOf(message)
  return blocksOf(message).map((block) =>
    typeof block === 'string' ? { type: 'text', text: block } : writeMedia(block, nameFile),
  )
}

function writeMedia(part: MediaPart, nameFile: FileNamer): object {
  return part.mediaType === 'application/pdf'
    ? { type: 'file', file: { filename: nameFile(part.name), file_data: toDataUrl(part) } }
    : { type: 'image_url', image_url: { url: toDataUrl(part) } }
}

function putBefore(text: string, content: Content): Content {
  return typeof content === 'string' ? `${text}\n\n${content}` : [{ type: 'text', text }, ...content]
}

function writeResults({ parts }: Extract<ModelMessage, { role: 'tool' }>, ids: readonly string[]): Written[] {
  return parts.map(({ name, text }, place) => ({
    role: 'tool',
    tool_call_id: ids[place],
    name: writeToolName(name),
    content: text,
  }))
}

type AssistantParts = Extract<ModelMessage, { role: 'assistant' }>['parts']

function writeAssistant(
  parts: AssistantParts,
  content: string | null,
  { thinking }: ChatDialect,
  own?: OpenaiNote['turn'],
): Written {
  if (thinking === 'own' || own !== undefined) return { role: 'assistant', content, ...own }
  return { role: 'assistant', content, reasoning_content: shownThinking(parts) }
}

function writeCalls(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  calls: readonly CallPart[],
  ids: readonly string[],
  dialect: ChatDialect,
  source: string,
): Written {
  const notes = calls.map((call) => readNote(call.note, source) as OpenaiNote | undefined)
  // The first call of a turn is the one that has the signature.
  const isSigned = !dialect.signsCalls || notes.some((note) => note?.call !== undefined)
  const text = dialect.textBesideCalls ? textOf(message) : ''
  const turn = notes.find((note) => note?.turn !== undefined)?.turn
  return {
    ...writeAssistant(message.parts, text === '' ? dialect.emptyContent : text, dialect, turn),
    tool_calls: calls.map((call, index) => ({
      id: ids[index],
      type: 'function',
      function: { name: writeToolName(call.name), arguments: call.arguments },
      ...(index === 0 && !isSigned && { extra_content: { google: { thought_signature: anySignature } } }),
      ...notes[index]?.call,
    })),
  }
}
