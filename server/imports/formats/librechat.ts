import type { MessageContent } from '@yonder/contract/message'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { ChatFiles } from './chat-files.ts'
import { type ForeignNode, type Step, toArguments, toImportedChat } from './foreign-chat.ts'
import { type Format, problemOfCount } from './format.ts'
import {
  looseCount,
  looseFlag,
  looseId,
  looseList,
  looseName,
  looseObject,
  looseText,
  looseTime,
} from './loose-values.ts'

/*
 * A conversation as LibreChat exports it, one a file. The facts are from its tests (`librechat-tree.json`,
 * `librechat-export.json`, `librechat-opts-nonr-branches.json`): `messages`, or `messagesTree` in older ones, is a list in
 * which messages have their answers in `children` if the export is `recursive`, and else name their parents. A message
 * has its text in `text`, or parts of it, thoughts and calls in `content`. Files are named and not contained.
 */

const Conversation = z.looseObject({
  conversationId: looseId,
  title: looseName,
  createdAt: looseTime,
  updatedAt: looseTime,
  isArchived: looseFlag,
  options: looseObject,
})

const Message = z.looseObject({
  isCreatedByUser: z.boolean().nullable().catch(null),
  sender: looseText,
  text: looseText,
  content: looseList,
  model: looseName,
  createdAt: looseTime,
  error: looseFlag,
  unfinished: looseFlag,
  files: looseList,
  attachments: looseList,
})
type Message = z.infer<typeof Message>

const File = z.looseObject({
  file_id: looseId,
  filename: looseName,
  filepath: looseName,
  type: looseName,
  bytes: looseCount,
  width: looseCount,
  height: looseCount,
})

/** The parent of a first message. */
const noParent = '00000000-0000-0000-0000-000000000000'

export const librechat: Format = {
  recognizes: (chat) => 'conversationId' in chat && ('messages' in chat || 'messagesTree' in chat),

  read(value) {
    const chat = Conversation.parse(value)
    const { conversationId: sourceId, title } = chat
    const list = value['messagesTree'] ?? value['messages']
    if (!Array.isArray(list) || sourceId === null) {
      return { sourceId, title, problem: 'It has no messages that can be read.' }
    }
    const flat = flatten(list)
    const problem = problemOfCount(flat.length)
    if (problem !== undefined) return { sourceId, title, problem }
    const files = new ChatFiles()
    const nodes = flat.map((item) => toNode(item, looseName.parse(chat.options['model']), files))
    const times = nodes.flatMap(({ time }) => time ?? [])
    return toImportedChat({
      product: 'LibreChat',
      sourceId,
      title,
      titleSource: title === null ? null : 'model',
      // Most exports have no dates but those of the messages.
      createdAt:
        chat.createdAt ?? times.reduce<number | null>((first, time) => Math.min(first ?? time, time), null),
      updatedAt:
        chat.updatedAt ?? times.reduce<number | null>((last, time) => Math.max(last ?? time, time), null),
      isArchived: chat.isArchived,
      isPinned: false,
      project: null,
      nodes,
      openNodeId: null,
      files,
    })
  },
}

interface FlatMessage {
  readonly id: string
  readonly parentId: string | null
  readonly value: JsonObject
}

/** Lists the messages of a nested or flat list. A chat can be nested as deeply as it is long. */
function flatten(list: readonly unknown[]): readonly FlatMessage[] {
  const flat: FlatMessage[] = []
  const waiting = list.map((value) => ({ value, parentId: null as string | null })).toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value } = next
    if (!isObject(value)) continue
    const id = looseId.parse(value['messageId']) ?? `message-${flat.length + 1}`
    const named = looseId.parse(value['parentMessageId'])
    // The messages of a flat list that name no parent are in order.
    const former = 'parentMessageId' in value ? null : (flat.at(-1)?.id ?? null)
    flat.push({ id, parentId: next.parentId ?? (named === noParent ? null : named) ?? former, value })
    for (const child of looseList.parse(value['children']).toReversed())
      waiting.push({ value: child, parentId: id })
  }
  return flat
}

function toNode({ id, parentId, value }: FlatMessage, model: string | null, files: ChatFiles): ForeignNode {
  const message = Message.parse(value)
  const isUser = message.isCreatedByUser ?? message.sender.toLowerCase() === 'user'
  const steps = isUser
    ? readUserSteps(message, files)
    : readReplySteps(message, message.model ?? model, files)
  return { id, parentId, time: message.createdAt, steps }
}

function readUserSteps(message: Message, files: ChatFiles): readonly Step[] {
  const texts = message.content.flatMap((part) => (isObject(part) ? readText(part, 'text') : []))
  const text = message.text || texts.join('\n\n')
  const content = withFiles(text, message.files, files)
  return content.length === 0 ? [] : [{ kind: 'user', content }]
}

function readReplySteps(message: Message, model: string | null, files: ChatFiles): readonly Step[] {
  if (message.error) return [{ kind: 'reply', content: '', model, end: { error: message.text } }]
  const parts = message.content.filter((part) => isObject(part))
  const steps = parts.length === 0 ? readPlainText(message.text, model) : readParts(parts, model, files)
  const all = steps.length === 0 ? readPlainText(message.text, model) : steps
  const shared = withFiles('', [...message.files, ...message.attachments], files)
  const withShared: readonly Step[] =
    shared.length === 0 ? all : [...all, { kind: 'reply', content: shared, model }]
  const last = withShared.at(-1)
  if (!message.unfinished || last?.kind !== 'reply') return withShared
  return [...withShared.slice(0, -1), { ...last, end: 'stopped' }]
}

/** Older replies have the thoughts in the text, between these marks. */
function readPlainText(text: string, model: string | null): readonly Step[] {
  const start = ':::thinking'
  const end = text.startsWith(start) ? text.indexOf('\n:::', start.length) : -1
  if (end !== -1) {
    const reply = text.slice(end + '\n:::'.length).trim()
    return [{ kind: 'reasoning', text: text.slice(start.length, end).trim() }, ...toReply(reply, model)]
  }
  return toReply(text, model)
}

function readParts(parts: readonly JsonObject[], model: string | null, files: ChatFiles): readonly Step[] {
  return parts.flatMap((part): readonly Step[] => {
    switch (part['type']) {
      case 'text':
        return readText(part, 'text').flatMap((text) => toReply(text, model))
      case 'think':
        return readText(part, 'think').map((text) => ({ kind: 'reasoning', text }))
      case 'tool_call':
        return readCall(looseObject.parse(part['tool_call']), model)
      case 'error':
        return [{ kind: 'reply', content: '', model, end: { error: readText(part, 'error').join('') } }]
      case 'image_file':
        return [{ kind: 'reply', content: withFiles('', [part['image_file']], files), model }]
      default:
        return []
    }
  })
}

function toReply(text: string, model: string | null): readonly Step[] {
  return text.trim() === '' ? [] : [{ kind: 'reply', content: text, model }]
}

/** A part has its text under its type, as it is or as the `value` of an object. */
function readText(part: JsonObject, key: string): readonly string[] {
  const value = part[key]
  const text = looseText.parse(isObject(value) ? value['value'] : value)
  return text.trim() === '' ? [] : [text]
}

function readCall(call: JsonObject, model: string | null): readonly Step[] {
  // Assistants of OpenAI have the function, or the code, one level below.
  const inner = { ...looseObject.parse(call['code_interpreter']), ...looseObject.parse(call['function']) }
  const tool = looseName.parse(call['name'] ?? inner['name'] ?? call['type']) ?? 'tool'
  const input = call['args'] ?? inner['arguments'] ?? inner['input']
  const output = call['output'] ?? inner['output'] ?? inner['outputs']
  const step: Step = { kind: 'call', tool, arguments: toArguments(input), model }
  if (output === undefined || output === null) return [step]
  const content = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
  return [step, { kind: 'result', tool, content }]
}

function withFiles(text: string, items: readonly unknown[], files: ChatFiles): MessageContent {
  const found = items.flatMap((item) => File.safeParse(item).data ?? [])
  if (found.length === 0) return text.trim() === '' ? '' : text
  const parts = found.flatMap(({ file_id, filename, filepath, type, bytes, width, height }) => {
    const id = file_id ?? filepath ?? filename
    if (id === null) return []
    const file = files.add({ id, name: filename, type, size: bytes, width, height, source: null })
    return [{ type: 'file' as const, file }]
  })
  return text.trim() === '' ? parts : [{ type: 'text', text }, ...parts]
}
