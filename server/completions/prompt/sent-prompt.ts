import type { SentMessage, SentTool, SentPrompt } from '@yonder/contract/sent-prompt'
import type { Actor } from '../../access/access.ts'
import { findMessage, listPath } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { callsOf, textOf, type ModelMessage, type ModelRequest } from '../../models/model.ts'
import { buildPrompt } from './build-prompt.ts'
import { readTextForms, restoreForms, storeForms, type StoredForms } from './file-forms.ts'
import type { PromptSource } from './fit-prompt.ts'
import {
  findSentPrompt,
  hashText,
  listPromptTexts,
  savePromptTexts,
  saveSentPrompt,
} from './sent-prompt-store.ts'

/**
 * What is stored of a prompt. The texts of finished messages never change, so they are not copied: `buildPrompt` builds
 * the prompt again from the same path. Other texts are stored once for each user, by their hash.
 */
interface StoredPrompt {
  readonly model: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly maxTokens: number | null
  readonly options?: ModelRequest['options']
  /** The hash of the instructions. */
  readonly instructions?: string
  /** The hash of the list of tools, as JSON. */
  readonly tools?: string
  readonly summary?: { readonly id: string; readonly hash: string; readonly message_count: number }
  /** The number of messages of the path. The last one is the parent of the reply. */
  readonly pathLength: number
  /** As in `PromptSource`. */
  readonly shortenBefore: number
  readonly files?: StoredForms
}

export interface PromptRecord {
  readonly user: Actor
  readonly chatId: string
  /** The reply. */
  readonly messageId: string
  readonly request: Omit<ModelRequest, 'messages'>
  readonly source: PromptSource
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Stores what the model is given for a reply. */
export async function recordPrompt(trx: Db, record: PromptRecord): Promise<void> {
  const { user, chatId, messageId, request, source, now } = record
  const { model, maxTokens, options, instructions, tools } = request
  const { path, summary, shortenBefore } = source
  const files = storeForms(path)
  const texts = new Map<string, string>()
  const save = (content: string): string => {
    const hash = hashText(content)
    texts.set(hash, content)
    return hash
  }
  const stored: StoredPrompt = {
    model,
    time: now,
    maxTokens,
    ...(options !== undefined && { options }),
    ...(instructions !== undefined && { instructions: save(instructions) }),
    ...(tools.length > 0 && { tools: save(JSON.stringify(tools.map(presentTool))) }),
    ...(summary !== undefined && {
      summary: { id: summary.id, hash: save(summary.content), message_count: summary.message_count },
    }),
    pathLength: path.length,
    shortenBefore,
    ...(files !== undefined && { files }),
  }
  await savePromptTexts(trx, user, { texts, now })
  await saveSentPrompt(trx, { chatId, messageId, prompt: JSON.stringify(stored) })
}

/**
 * Returns what the model was given for a reply of a chat. The caller has checked the owner of the chat.
 * @throws AppError `not_found`
 */
export async function readSentPrompt(
  db: Db,
  user: User,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
): Promise<SentPrompt> {
  const [json, reply] = await Promise.all([
    findSentPrompt(db, chatId, messageId),
    findMessage(db, chatId, messageId),
  ])
  if (json === undefined || reply === undefined || reply.parent_id === null)
    throw new AppError('not_found', 'The prompt of this reply is not stored.')
  const stored = JSON.parse(json) as StoredPrompt
  const { instructions, tools, summary, pathLength, shortenBefore } = stored
  const hashes = [instructions, tools, summary?.hash].filter((hash) => hash !== undefined)
  const [texts, path] = await Promise.all([
    listPromptTexts(db, user, hashes),
    listPath(db, chatId, reply.parent_id, pathLength),
  ])
  const find = (hash: string | undefined) => (hash === undefined ? undefined : texts.get(hash))
  const isMissing = (hash: string | undefined) => hash !== undefined && !texts.has(hash)
  const messages = buildPrompt(await readTextForms(db, restoreForms(path, stored.files)), {
    hasTools: tools !== undefined,
    shortenBefore,
    summary: summary && { ...summary, content: find(summary.hash) ?? '' },
  })
  return {
    model: stored.model,
    time: new Date(stored.time).toISOString(),
    max_tokens: stored.maxTokens,
    ...presentOptions(stored.options),
    instructions: find(instructions) ?? null,
    messages: messages.flatMap(presentMessage),
    tools: JSON.parse(find(tools) ?? '[]') as SentTool[],
    missing: [
      ...(isMissing(instructions) ? (['instructions'] as const) : []),
      ...(isMissing(tools) ? (['tools'] as const) : []),
      ...(isMissing(summary?.hash) ? (['summary'] as const) : []),
    ],
  }
}

function presentOptions({ temperature, topP, reasoningEffort }: NonNullable<ModelRequest['options']> = {}) {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  }
}

function presentTool({ name, description, inputSchema }: ModelRequest['tools'][number]): SentTool {
  return { name, description, schema: JSON.stringify(inputSchema) }
}

function presentMessage(message: ModelMessage): SentMessage[] {
  if (message.role === 'tool')
    return message.parts.map(({ name, text }) => ({ role: 'tool', content: text, name }))
  const calls = callsOf(message).map((call) => ({ name: call.name, arguments: call.arguments }))
  return [
    {
      role: message.role,
      content: textOf(message),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}
