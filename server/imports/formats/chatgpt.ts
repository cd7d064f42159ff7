import type { MessageContent } from '@yonder/contract/message'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { ChatFiles } from './chat-files.ts'
import { removeCitations } from './citation-marks.ts'
import { type ForeignNode, isEmptyContent, type Step, toArguments, toImportedChat } from './foreign-chat.ts'
import { type Format, problemOfCount, type ReadContext } from './format.ts'
import {
  hashOf,
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
 * ChatGPT's export, for which there is no contract. The facts are from exports as LibreChat's tests have them
 * (`api/server/utils/import/__data__/chatgpt-modern-export.json` and LibreChat#15229): the messages of a conversation are
 * the nodes of `mapping`, of which many show nothing: the root, instructions of the system, what the user told about
 * themselves, and steps that `metadata` marks as hidden. A call is a message to a `recipient` other than `all`.
 */

const Conversation = z.looseObject({
  id: looseId,
  conversation_id: looseId,
  title: looseName,
  create_time: looseTime,
  update_time: looseTime,
  current_node: looseId,
  default_model_slug: looseName,
  is_archived: looseFlag,
  is_starred: looseFlag,
})

const Node = z.looseObject({ parent: looseId, children: looseList, message: z.unknown().optional() })

const Message = z.looseObject({
  author: z.looseObject({ role: looseText, name: looseName }).catch({ role: '', name: null }),
  create_time: looseTime,
  content: looseObject,
  metadata: looseObject,
  recipient: looseName,
})
type Message = z.infer<typeof Message>

const Attachment = z.looseObject({
  id: looseId,
  name: looseName,
  mime_type: looseName,
  mimeType: looseName,
  size: looseCount,
  width: looseCount,
  height: looseCount,
})

const Pointer = z.looseObject({
  content_type: looseText,
  asset_pointer: looseText,
  size_bytes: looseCount,
  width: looseCount,
  height: looseCount,
})

type Measures = Pick<z.infer<typeof Pointer>, 'size_bytes' | 'width' | 'height'> & {
  readonly content_type?: string
}

export const chatgpt: Format = {
  recognizes: (chat) =>
    'mapping' in chat ||
    'current_node' in chat ||
    ('conversation_id' in chat && 'default_model_slug' in chat),

  read(value, context) {
    const chat = Conversation.parse(value)
    const { title, current_node } = chat
    const mapping = value['mapping']
    const sourceId = chat.id ?? chat.conversation_id ?? hashOf(JSON.stringify([title, chat.create_time]))
    if (!isObject(mapping)) return { sourceId, title, problem: 'It has no messages that can be read.' }
    const problem = problemOfCount(Object.keys(mapping).length)
    if (problem !== undefined) return { sourceId, title, problem }
    const reader = new Reader(context, chat.default_model_slug)
    return toImportedChat({
      product: 'ChatGPT',
      sourceId,
      title,
      titleSource: title === null ? null : 'model',
      createdAt: chat.create_time,
      updatedAt: chat.update_time,
      isArchived: chat.is_archived,
      isPinned: chat.is_starred,
      project: null,
      nodes: reader.readMapping(mapping),
      openNodeId: current_node,
      files: reader.files,
    })
  },
}

class Reader {
  readonly files = new ChatFiles()
  readonly #context: ReadContext
  readonly #defaultModel: string | null

  constructor(context: ReadContext, defaultModel: string | null) {
    this.#context = context
    this.#defaultModel = defaultModel
  }

  readMapping(mapping: JsonObject): readonly ForeignNode[] {
    const nodes = Object.entries(mapping).map(([key, value]) => ({
      id: looseId.parse(key) ?? key,
      node: Node.safeParse(value).data ?? { parent: null, children: [], message: null },
    }))
    const listedBy = new Map<string, string>()
    for (const { id, node } of nodes) {
      for (const child of node.children) {
        const childId = looseId.parse(child)
        if (childId !== null && !listedBy.has(childId)) listedBy.set(childId, id)
      }
    }
    return nodes.map(({ id, node }) => {
      const message = Message.safeParse(node.message).data
      return {
        id,
        // Of the two directions, either can be missing.
        parentId: node.parent ?? listedBy.get(id) ?? null,
        time: message?.create_time ?? null,
        steps: message === undefined ? [] : this.#toSteps(message),
      }
    })
  }

  #toSteps(message: Message): readonly Step[] {
    const { role, name } = message.author
    const type = looseText.parse(message.content['content_type'])
    if (message.metadata['is_visually_hidden_from_conversation'] === true) return []
    if (type === 'user_editable_context' || type === 'model_editable_context') return []
    const content = this.#toContent(message, role !== 'user')
    if (role === 'user') return isEmptyContent(content) ? [] : [{ kind: 'user', content }]
    if (role === 'tool') {
      return [{ kind: 'result', tool: name ?? 'tool', content, isError: type === 'system_error' }]
    }
    return role === 'assistant' ? this.#toReply(message, type, content) : []
  }

  #toReply(message: Message, type: string, content: MessageContent): readonly Step[] {
    if (type === 'thoughts') return [{ kind: 'reasoning', text: readThoughts(message.content) }]
    if (type === 'reasoning_recap') {
      return [{ kind: 'reasoning', text: looseText.parse(message.content['content']) }]
    }
    const model = looseName.parse(message.metadata['model_slug']) ?? this.#defaultModel
    if (message.recipient !== null && message.recipient !== 'all') {
      const text = typeof content === 'string' ? content : ''
      return [{ kind: 'call', tool: message.recipient, arguments: callArguments(text, type), model }]
    }
    if (isEmptyContent(content)) return []
    const end = readEnd(message.metadata)
    const isCode = type === 'code' && typeof content === 'string'
    return [{ kind: 'reply', content: isCode ? fence(content) : content, model, ...(end && { end }) }]
  }

  /** Text, and the files that stand in it or with it. */
  #toContent({ content, metadata }: Message, isByModel: boolean): MessageContent {
    const attachments = new Map<string, z.infer<typeof Attachment>>()
    for (const item of looseList.parse(metadata['attachments'])) {
      const attachment = Attachment.safeParse(item).data
      const id = attachment?.id ?? null
      if (attachment !== undefined && id !== null) attachments.set(id, attachment)
    }
    const parts: Exclude<MessageContent, string> = []
    const addText = (text: string) => {
      const shown = isByModel ? removeCitations(text) : text
      if (shown.trim() !== '') parts.push({ type: 'text', text: shown })
    }
    const named = new Set<string>()
    const addFile = (id: string, known: Measures) => {
      named.add(id)
      const attachment = attachments.get(id)
      const asset = this.#context.findAsset(id)
      const file = this.files.add({
        id,
        name: attachment?.name ?? asset?.name ?? null,
        type: attachment?.mime_type ?? attachment?.mimeType ?? null,
        isPicture: known.content_type === 'image_asset_pointer',
        size: known.size_bytes,
        width: known.width,
        height: known.height,
        source: asset?.source ?? null,
      })
      parts.push({ type: 'file', file })
    }
    for (const part of listParts(content, metadata)) {
      if (typeof part === 'string') addText(part)
      else addFile(part.id, part)
    }
    for (const [id, { size, width, height }] of attachments) {
      if (!named.has(id)) addFile(id, { size_bytes: size, width, height })
    }
    const isPlain = parts.every((part) => part.type === 'text')
    return isPlain ? parts.map((part) => part.text).join('\n') : parts
  }
}

type Part = string | ({ readonly id: string } & Measures)

/** The texts and assets of a content of any type, in order. */
function listParts(content: JsonObject, metadata: JsonObject): readonly Part[] {
  const parts = looseList.parse(content['parts']).flatMap(readPart)
  if (parts.length > 0) return parts
  // A page that was read, what a search has found, the output of a program and other steps have fields of their own.
  const fields = ['title', 'url', 'text', 'result', 'summary', 'content'] as const
  const texts = fields.map((field) => looseText.parse(content[field])).filter((text) => text !== '')
  const images = looseList.parse(looseObject.parse(metadata['aggregate_result'])['messages'])
  return [
    ...new Set(texts),
    ...images.flatMap((image) =>
      isObject(image)
        ? toAsset({ content_type: 'image_asset_pointer', asset_pointer: image['image_url'] })
        : [],
    ),
  ]
}

function readPart(part: unknown): readonly Part[] {
  if (typeof part === 'string') return [part]
  if (!isObject(part)) return []
  if (typeof part['text'] === 'string') return [part['text']]
  if (isObject(part['audio_asset_pointer'])) return toAsset(part['audio_asset_pointer'])
  return toAsset(part)
}

/** A pointer is like `file-service://file-AbC` or `sediment://file_00ff`. */
function toAsset(value: unknown): readonly Part[] {
  const pointer = Pointer.safeParse(value).data
  const id = pointer === undefined ? undefined : findAssetId(pointer.asset_pointer)
  return pointer === undefined || id === undefined ? [] : [{ ...pointer, id }]
}

/** Finds the id of an asset in a pointer or at the beginning of the name of its file. */
export function findAssetId(text: string): string | undefined {
  return /file[-_][A-Za-z0-9]+/.exec(text.replace(/^[a-z-]+:\/\//, ''))?.[0]
}

function readThoughts(content: JsonObject): string {
  const thoughts = looseList.parse(content['thoughts']).filter((thought) => isObject(thought))
  return thoughts
    .flatMap(({ summary, content }) => {
      const title = looseText.parse(summary)
      const text = looseText.parse(content)
      return [title === '' ? '' : `**${title}**`, text]
    })
    .filter((text) => text.trim() !== '')
    .join('\n\n')
}

function callArguments(text: string, type: string): string {
  if (/^\s*\{/.test(text)) return toArguments(text)
  return JSON.stringify({ [type === 'code' ? 'code' : 'input']: text })
}

function fence(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${code}\n${marks}`
}

function readEnd(metadata: JsonObject): 'stopped' | 'cut' | undefined {
  const type = looseObject.parse(metadata['finish_details'])['type']
  if (type === 'max_tokens') return 'cut'
  return type === 'interrupted' ? 'stopped' : undefined
}
