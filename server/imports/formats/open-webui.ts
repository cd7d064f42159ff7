import type { MessageContent } from '@yonder/contract/message'
import { z } from 'zod'
import { isObject, type JsonObject, parseJson } from '../../lib/json-object.ts'
import { ChatFiles } from './chat-files.ts'
import { type ReplyBlock, splitDetails } from './details-blocks.ts'
import { type ForeignNode, isEmptyContent, type Step, toArguments, toImportedChat } from './foreign-chat.ts'
import { type Format, problemOfCount } from './format.ts'
import {
  hashOf,
  looseCount,
  looseFlag,
  looseId,
  looseList,
  looseMessages,
  looseName,
  looseObject,
  looseText,
  looseTime,
} from './loose-values.ts'

/*
 * The list of chats that Open WebUI exports. The facts are from its documentation (import-export.md) and from LibreChat's
 * tests (`openwebui-export.json`): `chat.history.messages` has the messages by id, `currentId` is the end of the open
 * path, and times are seconds. Older exports have the fields of `chat` in the chat itself, or a list of messages in place
 * of the history. Thoughts and calls of a reply are in `output`, or as `<details>` blocks in its text.
 */

const Chat = z.looseObject({
  id: looseId,
  title: looseName,
  pinned: looseFlag,
  archived: looseFlag,
  created_at: looseTime,
  updated_at: looseTime,
  timestamp: looseTime,
  folder: z.looseObject({ name: looseName }).nullable().catch(null),
  folder_id: looseId,
})

const Content = z.looseObject({
  title: looseName,
  models: looseList,
  history: z
    .looseObject({ messages: z.record(z.string(), z.unknown()).nullable().catch(null), currentId: looseId })
    .catch({ messages: null, currentId: null }),
  messages: looseMessages,
  files: looseList,
})

const Message = z.looseObject({
  id: looseId,
  parentId: looseId,
  role: looseText,
  content: looseText,
  model: looseName,
  timestamp: looseTime,
  done: z.boolean().nullable().catch(null),
  error: z.unknown().optional(),
  files: looseList,
  output: looseList,
})
type Message = z.infer<typeof Message>

const File = z.looseObject({
  id: looseId,
  type: looseText,
  name: looseName,
  url: looseText,
  size: looseCount,
  content_type: looseName,
  file: looseObject,
})

export const openWebui: Format = {
  recognizes: (chat) => {
    const content = isObject(chat['chat']) ? chat['chat'] : chat
    const { history } = content
    return (
      (isObject(history) && 'messages' in history) ||
      ('models' in content && Array.isArray(content['messages']))
    )
  },

  read(value, context) {
    const chat = Chat.parse(value)
    const count = countMessages(isObject(value['chat']) ? value['chat'] : value)
    const tooMany = problemOfCount(count)
    if (tooMany !== undefined) return { sourceId: chat.id, title: chat.title, problem: tooMany }
    const content = Content.parse(isObject(value['chat']) ? value['chat'] : value)
    const title = chat.title ?? content.title
    const messages = listMessages(content)
    const ids = messages?.map(({ id }) => id)
    const sourceId = chat.id ?? hashOf(JSON.stringify([title, value['timestamp'], ids]))
    if (messages === null) return { sourceId, title, problem: 'It has no messages that can be read.' }
    const files = new ChatFiles()
    const model = content.models.length === 1 ? looseName.parse(content.models[0]) : null
    return toImportedChat({
      product: 'Open WebUI',
      sourceId,
      title,
      titleSource: title === null ? null : 'model',
      createdAt: chat.created_at ?? chat.timestamp,
      updatedAt: chat.updated_at ?? chat.timestamp,
      isArchived: chat.archived,
      isPinned: chat.pinned,
      project: chat.folder?.name ?? (chat.folder_id === null ? null : context.findProject(chat.folder_id)),
      nodes: messages.map(({ message, id, parentId }) => toNode(id, parentId, message, model, files)),
      openNodeId: content.history.currentId,
      files,
    })
  },
}

function countMessages({ history, messages }: JsonObject): number {
  const byId = isObject(history) && isObject(history['messages']) ? history['messages'] : {}
  return Math.max(Object.keys(byId).length, Array.isArray(messages) ? messages.length : 0)
}

interface ListedMessage {
  readonly id: string
  readonly parentId: string | null
  readonly message: Message
}

function listMessages({ history, messages }: z.infer<typeof Content>): readonly ListedMessage[] | null {
  const byId = history.messages
  if (byId !== null && (Object.keys(byId).length > 0 || messages === null)) return listHistory(byId)
  let former: string | null = null
  return (
    messages?.flatMap((value, index) => {
      const message = Message.safeParse(value).data
      if (message === undefined) return []
      const id = message.id ?? `message-${index + 1}`
      const parentId: string | null = isObject(value) && 'parentId' in value ? message.parentId : former
      former = id
      return [{ id, parentId, message }]
    }) ?? null
  )
}

function listHistory(byId: JsonObject): readonly ListedMessage[] {
  const listedBy = new Map<string, string>()
  const entries = Object.entries(byId).flatMap(([key, value]) => {
    const message = Message.safeParse(value).data
    const id = looseId.parse(key)
    if (message === undefined || id === null) return []
    for (const child of looseList.parse(message['childrenIds'])) {
      const childId = looseId.parse(child)
      if (childId !== null && !listedBy.has(childId)) listedBy.set(childId, id)
    }
    return [{ id, message }]
  })
  // Of the two directions, either can be missing.
  return entries.map(({ id, message }) => ({
    id,
    parentId: message.parentId ?? listedBy.get(id) ?? null,
    message,
  }))
}

function toNode(
  id: string,
  parentId: string | null,
  message: Message,
  defaultModel: string | null,
  files: ChatFiles,
): ForeignNode {
  return { id, parentId, time: message.timestamp, steps: readSteps(id, message, defaultModel, files) }
}

function readSteps(
  id: string,
  message: Message,
  defaultModel: string | null,
  files: ChatFiles,
): readonly Step[] {
  const shared = readFiles(id, message.files, files)
  if (message.role === 'user') {
    const content = withFiles(message.content, shared)
    return isEmptyContent(content) ? [] : [{ kind: 'user', content }]
  }
  if (message.role === 'tool') return [{ kind: 'result', tool: 'tool', content: message.content }]
  if (message.role !== 'assistant') return []
  const model = message.model ?? defaultModel
  const output = readOutput(message.output, model)
  const isWhole =
    output.length > 0 && (output.some(({ kind }) => kind === 'reply') || message.content.trim() === '')
  const steps = isWhole ? output : splitDetails(message.content).flatMap((block) => readBlock(block, model))
  const all: readonly Step[] =
    shared.length === 0 ? steps : [...steps, { kind: 'reply', content: shared, model }]
  return withEnd(all, message, model)
}

function withEnd(steps: readonly Step[], message: Message, model: string | null): readonly Step[] {
  const error = readError(message.error)
  const last = steps.at(-1)
  if (error !== null) {
    const end = { error }
    return last?.kind === 'reply'
      ? [...steps.slice(0, -1), { ...last, end }]
      : [...steps, { kind: 'reply', content: '', model, end }]
  }
  if (message.done !== false || last?.kind !== 'reply') return steps
  return [...steps.slice(0, -1), { ...last, end: 'interrupted' }]
}

/** `error` is true, a text, or an object with a text. */
function readError(error: unknown): string | null {
  if (error === undefined || error === null || error === false || error === '') return null
  if (!isObject(error)) return looseText.parse(error)
  return (
    looseText.parse(error['content']) || looseText.parse(error['message']) || looseText.parse(error['detail'])
  )
}

function readOutput(output: readonly unknown[], model: string | null): readonly Step[] {
  const items = output.filter((item) => isObject(item))
  const results = new Map(
    items.filter(({ type }) => type === 'function_call_output').map((item) => [item['call_id'], item]),
  )
  return items.flatMap((item): readonly Step[] => {
    switch (item['type']) {
      case 'message':
        return toReply(readTexts(item['content']), model)
      case 'reasoning':
        return [{ kind: 'reasoning', text: readTexts(item['content']) || readTexts(item['summary']) }]
      case 'function_call': {
        const tool = looseName.parse(item['name']) ?? 'tool'
        const call: Step = { kind: 'call', tool, arguments: toArguments(item['arguments']), model }
        const result = results.get(item['call_id'])
        return result === undefined
          ? [call]
          : [call, { kind: 'result', tool, content: readTexts(result['output']) }]
      }
      default:
        return []
    }
  })
}

function readTexts(value: unknown): string {
  if (typeof value === 'string') return value
  return looseList
    .parse(value)
    .map((item) => (isObject(item) ? looseText.parse(item['text']) : looseText.parse(item)))
    .filter((text) => text !== '')
    .join('\n\n')
}

function readBlock(block: ReplyBlock, model: string | null): readonly Step[] {
  switch (block.type) {
    case 'text':
      return toReply(block.text, model)
    case 'reasoning':
      // Each line is a quotation.
      return [{ kind: 'reasoning', text: block.text.replaceAll(/^> ?/gm, '') }]
    case 'code_interpreter': {
      const call: Step = {
        kind: 'call',
        tool: 'code_interpreter',
        arguments: JSON.stringify({ code: block.text }),
        model,
      }
      const { output } = block.attributes
      return output === undefined
        ? [call]
        : [call, { kind: 'result', tool: 'code_interpreter', content: readJsonText(output) }]
    }
    case 'tool_calls': {
      const { name = '', arguments: input = '', result, done } = block.attributes
      const tool = looseName.parse(name) ?? 'tool'
      const call: Step = { kind: 'call', tool, arguments: toArguments(readJsonText(input)), model }
      if (done === 'false') return [call]
      return [call, { kind: 'result', tool, content: readJsonText(result ?? block.text) }]
    }
  }
}

/** A text that was written as JSON is in quotation marks. */
function readJsonText(text: string): string {
  const value = text.startsWith('"') ? parseJson(text) : undefined
  return typeof value === 'string' ? value : text
}

function toReply(text: string, model: string | null): readonly Step[] {
  return text.trim() === '' ? [] : [{ kind: 'reply', content: text, model }]
}

type FilePart = Extract<Exclude<MessageContent, string>[number], { type: 'file' }>

function withFiles(text: string, files: FilePart[]): MessageContent {
  if (files.length === 0) return text
  return text.trim() === '' ? files : [{ type: 'text', text }, ...files]
}

function readFiles(messageId: string, items: readonly unknown[], files: ChatFiles): FilePart[] {
  return items.flatMap((item, index) => {
    const found = File.safeParse(item).data
    // Notes, web pages and collections of knowledge are no files.
    if (found === undefined || !['file', 'image', 'doc', ''].includes(found.type)) return []
    const meta = looseObject.parse(found.file['meta'])
    const text = looseText.parse(looseObject.parse(found.file['data'])['content'])
    const id =
      found.id ?? looseId.parse(found.file['id']) ?? idOfUrl(found.url) ?? `${messageId}#file-${index + 1}`
    const name = found.name ?? looseName.parse(found.file['filename']) ?? looseName.parse(meta['name'])
    const picture = /^data:([a-z0-9.+/-]+);base64,/i.exec(found.url)
    if (picture !== null) {
      const base64 = found.url.slice(picture[0].length)
      const type = picture[1] ?? null
      const size = Math.floor((base64.length * 3) / 4)
      return [{ type: 'file', file: files.add({ id, name, type, size, source: { base64 } }) }]
    }
    if (text !== '') return [{ type: 'file', file: files.addText(id, name, text) }]
    const type = found.content_type ?? looseName.parse(meta['content_type'])
    const isPicture = found.type === 'image'
    const size = found.size || looseCount.parse(meta['size'])
    return [{ type: 'file', file: files.add({ id, name, type, isPicture, size, source: null }) }]
  })
}

/** A picture is named by an address such as `/api/v1/files/ID/content`, or only by its id. */
function idOfUrl(url: string): string | null {
  if (url === '' || url.startsWith('data:')) return null
  return looseId.parse(/\/files\/([^/]+)/.exec(url)?.[1] ?? url)
}
