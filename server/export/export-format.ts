import { Chat } from '@yonder/contract/chat'
import { ToolCallRecord } from '@yonder/contract/connector'
import { MessageContent } from '@yonder/contract/message'
import { GrantLimits } from '@yonder/contract/tool-call'
import { ImportSource } from '@yonder/contract/transfer'
import { z } from 'zod'

/*
 * The format of exports. `npm run docs` writes its JSON schema to `docs/export-format-1.schema.json`. A change that an
 * importer of this version would not understand needs another version.
 */

export const formatVersion = 1

/** A file of a chat, under the name that it was stored with. */
const ExportedFile = z.object({
  id: z.string(),
  name: z.string(),
  /** Its media type. */
  type: z.string(),
  /** In bytes. */
  size: z.int().nonnegative(),
  path: z
    .string()
    .nullable()
    .meta({ description: 'The entry with its bytes. Null when they are not there.' }),
  base64: z
    .string()
    .optional()
    .meta({ description: 'Its bytes, only in the export of one chat that was requested with files.' }),
})
export type ExportedFile = z.infer<typeof ExportedFile>

export const ExportedChat = Chat.omit({ run: true, queued: true })
  .extend({
    created_time: z.string(),
    source: z
      .object({ product: ImportSource, id: z.string() })
      .optional()
      .meta({ description: 'The product from whose export the chat was imported, and its id there.' }),
    files: z.array(ExportedFile),
  })
  .meta({ id: 'chat' })
export type ExportedChat = z.infer<typeof ExportedChat>

/** The export of one chat. */
export const ChatExport = z.object({
  format: z.literal('yonder-chat'),
  format_version: z.literal(formatVersion),
  chat: ExportedChat,
})
export type ChatExport = z.infer<typeof ChatExport>

const count = z.int().nonnegative()

/** The last entry. */
export const ExportManifest = z.object({
  format: z.literal('yonder-export'),
  format_version: z.literal(formatVersion),
  exported_at: z.string(),
  version: z.string().meta({ description: 'The version of Yonder that wrote the export.' }),
  counts: z.object({ chats: count, messages: count, files: count, projects: count, bots: count }),
  entries: z
    .array(z.object({ path: z.string(), size: count, sha256: z.string() }))
    .meta({ description: 'All entries but this one, with the size and the SHA-256 of their bytes.' }),
})
export type ExportManifest = z.infer<typeof ExportManifest>

const nullableText = z.string().nullable()
const nullableNumber = z.number().nullable()

const ExportedUser = z.object({
  id: nullableText,
  account: z.string(),
  sign_in: z.enum(['local', 'google', 'provider']),
  status: z.enum(['active', 'disabled', 'being deleted']),
  name: nullableText,
  email: nullableText,
  picture: nullableText,
  created_at: z.string(),
  last_used_at: nullableText,
})
export type ExportedUser = z.infer<typeof ExportedUser>

const ExportedSignIn = z.object({ browser: nullableText, created_at: z.string(), last_used_at: z.string() })
export type ExportedSignIn = z.infer<typeof ExportedSignIn>

const ExportedProject = z.object({
  id: z.string(),
  name: z.string(),
  bot: nullableText,
  instructions: z.string(),
})
export type ExportedProject = z.infer<typeof ExportedProject>

const ExportedBot = z.object({
  name: z.string(),
  model: z.string(),
  base_url: nullableText,
  api_type: nullableText,
  custom_api_path: nullableText,
  has_api_key: z.boolean(),
  instructions: nullableText,
  max_tokens: nullableNumber,
  temperature: nullableNumber,
  top_p: nullableNumber,
  reasoning_effort: nullableText,
  context_window: nullableNumber,
  images: nullableText,
  pdf: nullableText,
  title_model: nullableText,
  connectors: z.array(z.string()).nullable().meta({ description: 'Null for all connectors.' }),
  created_at: z.string(),
})
export type ExportedBot = z.infer<typeof ExportedBot>

const ExportedConnector = z.object({
  name: z.string(),
  url: z.string(),
  is_default: z.boolean(),
  status: z.string(),
  has_token: z.boolean(),
  has_headers: z.boolean(),
  client_id: nullableText,
  has_client_secret: z.boolean(),
  allowed_tools: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Tools that run without asking. Null when all do.' }),
  blocked_tools: z.array(z.string()),
  limited_tools: z
    .array(
      GrantLimits.extend({
        tool: z.string(),
        created_at: z.string(),
        last_used_at: nullableText,
        uses: count,
      }),
    )
    .meta({
      description: 'Tools that run without asking within limits. Without a bot: for every bot, and so on.',
    }),
  tools: z.array(z.string()),
  created_at: z.string(),
})
export type ExportedConnector = z.infer<typeof ExportedConnector>

const ExportedNotifications = z.object({
  kinds: z.array(z.string()),
  with_text: z.boolean(),
  devices: z.array(z.object({ label: z.string(), created_at: z.string(), last_used_at: nullableText })),
  webhook: z.object({ url: z.string(), created_at: z.string() }).nullable(),
})
export type ExportedNotifications = z.infer<typeof ExportedNotifications>

const ExportedIntegration = z.object({
  name: z.string(),
  has_api_key: z.boolean(),
  has_tokens: z.boolean(),
  scopes: z.array(z.string()),
  ended: z.boolean(),
  created_at: z.string(),
})
export type ExportedIntegration = z.infer<typeof ExportedIntegration>

const ExportedShare = z.object({
  url: z.string(),
  chat_id: z.string(),
  message_id: z.string(),
  created_at: z.string(),
})
export type ExportedShare = z.infer<typeof ExportedShare>

const ExportedUsage = z.object({
  time: z.string(),
  kind: z.enum(['reply', 'summary', 'title']),
  chat_id: z.string(),
  message_id: z.string(),
  bot: z.string(),
  model: z.string(),
  provider: nullableText,
  input_tokens: nullableNumber,
  output_tokens: nullableNumber,
  cached_tokens: nullableNumber,
  cache_write_tokens: nullableNumber,
  reasoning_tokens: nullableNumber,
  cost: nullableText,
  currency: nullableText,
  duration_ms: nullableNumber,
  first_text_ms: nullableNumber,
})
export type ExportedUsage = z.infer<typeof ExportedUsage>

const ExportedQueued = z.object({
  chat_id: z.string(),
  bot: nullableText,
  content: MessageContent,
  created_at: z.string(),
})
export type ExportedQueued = z.infer<typeof ExportedQueued>

const ExportedPromptText = z.object({ content: z.string(), used_at: z.string() })
export type ExportedPromptText = z.infer<typeof ExportedPromptText>

/** What each entry of the ZIP has, by its path. */
export const exportedEntries = {
  'manifest.json': ExportManifest,
  'chats/{id}.json': ExportedChat,
  'projects.json': z.array(ExportedProject),
  'bots.json': z.array(ExportedBot),
  'connectors.json': z.array(ExportedConnector),
  'integrations.json': z.array(ExportedIntegration),
  'shared_links.json': z.array(ExportedShare),
  'notifications.json': ExportedNotifications,
  'drafts.json': z.record(z.string(), z.string()).meta({
    description: 'Texts that were not sent, by the names of their inputs. Their files are in `files/`.',
  }),
  'queued_messages.json': z
    .array(ExportedQueued)
    .meta({ description: 'Messages that wait for the reply before them. Their files are in `files/`.' }),
  'usage.json': z.array(ExportedUsage),
  'tool_calls.json': z.array(ToolCallRecord),
  'prompt_texts.json': z.array(ExportedPromptText),
  'user.json': ExportedUser,
  'sign_ins.json': z.array(ExportedSignIn),
}

/** The JSON schema of the format: a property for each entry of the ZIP, and one for the export of one chat. */
export function describeFormat(): object {
  const format = z.object({ ...exportedEntries, 'one chat': ChatExport })
  // As input, so that a reader does not refuse fields that are added later.
  return z.toJSONSchema(format.meta({ title: `Export of Yonder, version ${formatVersion}` }), { io: 'input' })
}
