import type { MessageContent } from '@yonder/contract/message'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { ChatFiles } from './chat-files.ts'
import { type ForeignNode, type Step, toArguments, toImportedChat } from './foreign-chat.ts'
import { type Format, problemOfCount } from './format.ts'
import {
  hashOf,
  looseCount,
  looseFlag,
  looseId,
  looseList,
  looseMessages,
  looseName,
  looseText,
  looseTime,
} from './loose-values.ts'

/*
 * Claude's export, for which there is no contract: `conversations.json` is a list of conversations, whose messages have
 * blocks of text, thoughts and calls in `content`, and the same without calls in `text`. Since the parents are named, a
 * changed message is a further child; older exports name none, and their messages are in order. The export has no files:
 * of a document it has the text (`extracted_content`), of a picture the name.
 */

const Conversation = z.looseObject({
  uuid: looseId,
  name: looseName,
  model: looseName,
  created_at: looseTime,
  updated_at: looseTime,
  is_starred: looseFlag,
  current_leaf_message_uuid: looseId,
  project: z.looseObject({ uuid: looseId, name: looseName }).nullable().catch(null),
  project_uuid: looseId,
  chat_messages: looseMessages,
})

const Message = z.looseObject({
  uuid: looseId,
  parent_message_uuid: looseId,
  text: looseText,
  sender: looseText,
  content: looseList,
  created_at: looseTime,
  attachments: looseList,
  files: looseList,
})
type Message = z.infer<typeof Message>

const Attachment = z.looseObject({
  id: looseId,
  file_name: looseName,
  file_type: looseName,
  file_size: looseCount,
  extracted_content: looseText,
})

const File = z.looseObject({ file_uuid: looseId, file_name: looseName })

/** The parent of a first message. */
const noParent = '00000000-0000-4000-8000-000000000000'

export const claude: Format = {
  recognizes: (chat) => 'chat_messages' in chat || ('uuid' in chat && 'account' in chat && 'name' in chat),

  read(value, context) {
    const chat = Conversation.parse(value)
    const title = chat.name
    const sourceId = chat.uuid ?? hashOf(JSON.stringify([title, value['created_at']]))
    if (chat.chat_messages === null)
      return { sourceId, title, problem: 'It has no messages that can be read.' }
    const problem = problemOfCount(chat.chat_messages.length)
    if (problem !== undefined) return { sourceId, title, problem }
    const projectId = chat.project?.uuid ?? chat.project_uuid
    const files = new ChatFiles()
    return toImportedChat({
      product: 'Claude',
      sourceId,
      title,
      titleSource: title === null ? null : 'model',
      createdAt: chat.created_at,
      updatedAt: chat.updated_at,
      isArchived: false,
      isPinned: chat.is_starred,
      project: chat.project?.name ?? (projectId === null ? null : context.findProject(projectId)),
      nodes: readMessages(chat.chat_messages, chat.model, files),
      openNodeId: chat.current_leaf_message_uuid,
      files,
    })
  },
}

function readMessages(
  values: readonly unknown[],
  model: string | null,
  files: ChatFiles,
): readonly ForeignNode[] {
  let former: string | null = null
  return values.flatMap((value, index) => {
    const message = Message.safeParse(value).data
    if (message === undefined) return []
    const id = message.uuid ?? `message-${index + 1}`
    const parentId: string | null =
      isObject(value) && 'parent_message_uuid' in value ? message.parent_message_uuid : former
    former = id
    return [
      {
        id,
        parentId: parentId === noParent ? null : parentId,
        time: message.created_at,
        steps:
          message.sender === 'human' ? readUserSteps(id, message, files) : readReplySteps(message, model),
      },
    ]
  })
}

function readUserSteps(id: string, message: Message, files: ChatFiles): readonly Step[] {
  const texts = message.content.filter((block) => isObject(block)).map(({ text }) => looseText.parse(text))
  const text = texts.filter((part) => part !== '').join('\n\n') || message.text
  const parts: Exclude<MessageContent, string> = text.trim() === '' ? [] : [{ type: 'text', text }]
  for (const [index, item] of message.attachments.entries()) {
    const attachment = Attachment.safeParse(item).data
    if (attachment === undefined) continue
    const fileId = attachment.id ?? `${id}#attachment-${index + 1}`
    const { file_name: name, file_type: type, file_size: size, extracted_content } = attachment
    const file =
      extracted_content === ''
        ? files.add({
            id: fileId,
            name,
            type: type?.includes('/') === true ? type : null,
            size,
            source: null,
          })
        : files.addText(fileId, name, extracted_content)
    parts.push({ type: 'file', file })
  }
  for (const [index, item] of message.files.entries()) {
    const found = File.safeParse(item).data
    if (found === undefined) continue
    const fileId = found.file_uuid ?? `${id}#file-${index + 1}`
    parts.push({ type: 'file', file: files.add({ id: fileId, name: found.file_name, source: null }) })
  }
  if (parts.length === 0) return []
  return [{ kind: 'user', content: parts.every((part) => part.type === 'text') ? text : parts }]
}

function readReplySteps(message: Message, model: string | null): readonly Step[] {
  const blocks = message.content.filter((block) => isObject(block))
  const results = new Results(blocks)
  const steps = blocks.flatMap((block): readonly Step[] => {
    switch (block['type']) {
      case 'text':
        return toReply(looseText.parse(block['text']), model)
      case 'thinking':
        return [{ kind: 'reasoning', text: looseText.parse(block['thinking']) }]
      case 'tool_use': {
        const tool = looseName.parse(block['name']) ?? 'tool'
        const call: Step = { kind: 'call', tool, arguments: toArguments(block['input']), model }
        const result = results.take(block)
        return result === undefined ? [call] : [call, toResult(tool, result)]
      }
      case 'tool_result':
        // One without a call is shown by itself.
        return results.isTaken(block) ? [] : [toResult(looseName.parse(block['name']) ?? 'tool', block)]
      default:
        return []
    }
  })
  return steps.length === 0 ? toReply(message.text, model) : steps
}

/** The results among the blocks of a message. Calls made at once come before their results, which name them. */
class Results {
  readonly #waiting = new Map<unknown, JsonObject[]>()
  readonly #taken = new Set<JsonObject>()

  constructor(blocks: readonly JsonObject[]) {
    for (const block of blocks.toReversed()) {
      if (block['type'] !== 'tool_result') continue
      const key = block['tool_use_id'] ?? block['name']
      const same = this.#waiting.get(key)
      if (same === undefined) this.#waiting.set(key, [block])
      else same.push(block)
    }
  }

  /** Older exports have no ids. Their results are in the order of the calls. */
  take(call: JsonObject): JsonObject | undefined {
    const result = (this.#waiting.get(call['id']) ?? this.#waiting.get(call['name']))?.pop()
    if (result !== undefined) this.#taken.add(result)
    return result
  }

  isTaken(result: JsonObject): boolean {
    return this.#taken.has(result)
  }
}

function toReply(text: string, model: string | null): readonly Step[] {
  return text.trim() === '' ? [] : [{ kind: 'reply', content: text, model }]
}

function toResult(tool: string, block: JsonObject): Step {
  const { content } = block
  const text =
    typeof content === 'string'
      ? content
      : looseList
          .parse(content)
          .filter((item) => isObject(item))
          .map((item) => looseText.parse(item['text']) || describeItem(item))
          .filter((item) => item !== '')
          .join('\n\n')
  return { kind: 'result', tool, content: text, isError: block['is_error'] === true }
}

/** A page that was found, such as `knowledge`, has a title and an address. */
function describeItem({ title, url }: JsonObject): string {
  return [looseText.parse(title), looseText.parse(url)].filter((text) => text !== '').join('\n')
}
