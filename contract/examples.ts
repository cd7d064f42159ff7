import { z } from 'zod'
import { AccountDeletion } from './account.ts'
import { Bot, BotInput, BotTest, EndpointDraft } from './bot.ts'
import { ChatsChange, ChatsPurge } from './chat-list.ts'
import { Chat, SelectResponse, StopRequest } from './chat.ts'
import { Compaction, CompactionInput, CompactionRewrite } from './compaction.ts'
import * as completion from './completion.ts'
import { ConnectInput, Connector, ConnectorInput, PermissionsInput } from './connector.ts'
import { Drafts } from './draft.ts'
import { ErrorBody } from './error.ts'
import { FilePlanRequest } from './file.ts'
import { GrantInput } from './grant.ts'
import { IdTokenInput } from './identity.ts'
import { Integration, IntegrationCallback, IntegrationInput } from './integration.ts'
import { LiveEvent } from './live.ts'
import { Message } from './message.ts'
import {
  NotificationChange,
  NotificationSettings,
  PresenceInput,
  PushSubscriptionInput,
  WebhookInput,
} from './notification.ts'
import { ProjectChange, ProjectDetails, ProjectInput } from './project.ts'
import { QueueAction, QueueChange, QueueContinue, QueueRequest } from './queue.ts'
import { ShareChange, ShareRequest, ShareResponse } from './share.ts'
import { ImportOptions, NewImport } from './transfer.ts'

/**
 * What `/api/openapi.json` says about schemas besides their form: examples, and the name of those that have an `id`.
 * Together, so that all examples are about the same bot and chat.
 */
export const examples = z.registry<{ readonly id?: string; readonly examples: z.$input[] }>()

const chatId = 'mD3Qw0kTz8vYb1LsXc5RaA'
const messageId = 'Zp7uEo2nHq4gVt9KjWx6Bw'
const time = '2026-11-24T09:30:00.000Z'
const endpoint = { name: 'Owl', base_url: 'https://api.openai.com/v1', api_key: 'sk-proj-example' }
const model = 'gpt-5-mini'
const botName = endpoint.name
const connector = { name: 'Library', url: 'https://library.example/mcp', allow_tools: ['search'] }
const compaction = { content: 'Ada asked for books about owls.', time }
const message: z.input<typeof Message> = {
  id: messageId,
  parent_id: null,
  role: 'user',
  content: 'Which books about owls are there?',
  timestamp: time,
  unix_timestamp: Date.parse(time),
  status: 'complete',
}

examples.add(ErrorBody, {
  id: 'Error',
  examples: [{ error: { code: 'not_found', message: 'There is no such chat. Start a new one.' } }],
})

const masked = { api_key: 'sk-p…mple', api_type: null, custom_api_path: null, max_tokens: null }
examples.add(Bot, { id: 'Bot', examples: [{ ...endpoint, ...masked, model }] })
examples.add(BotInput, { examples: [{ ...endpoint, model, instructions: 'Reply briefly.' }] })
examples.add(EndpointDraft, { examples: [endpoint] })
examples.add(BotTest, { examples: [{ ...endpoint, model }] })

const project = { name: 'Thesis', bot: botName, instructions: 'Cite every figure.' }
examples.add(ProjectDetails, {
  id: 'Project',
  examples: [{ ...project, id: 'k1', chats: 14 }],
})
examples.add(ProjectInput, { examples: [project] })
examples.add(ProjectChange, { examples: [{ name: 'Dissertation' }] })

examples.add(Message, { id: 'Message', examples: [message] })
examples.add(Chat, {
  id: 'Chat',
  examples: [
    { id: chatId, messages: [message], update_time: time, selected_message_id: messageId, run: null },
  ],
})
examples.add(ChatsChange, {
  examples: [{ chats: [chatId], change: { title: 'Books about owls', pinned: true } }],
})
examples.add(ChatsPurge, { examples: [{ chats: [chatId] }] })
examples.add(SelectResponse, { examples: [{ chatId, messageId }] })
examples.add(StopRequest, { examples: [{ chatId }] })
examples.add(QueueRequest, {
  examples: [{ chatId, id: messageId, botName, content: 'And about hawks?' }],
})
examples.add(QueueChange, { examples: [{ chatId, content: 'And about falcons?', before: null }] })
examples.add(QueueAction, { examples: [{ chatId }] })
examples.add(QueueContinue, { examples: [{ chatId, id: 'kR8sVw1fLx5nTq2cYb7JdA', paused: 'stopped' }] })
examples.add(Compaction, {
  id: 'Compaction',
  examples: [
    { ...compaction, id: 'c1', message_id: messageId, message_count: 12, bot: botName, model, edited: false },
  ],
})
examples.add(CompactionInput, { examples: [compaction] })
examples.add(CompactionRewrite, { examples: [{ botName }] })

examples.add(completion.SendRequest, { examples: [{ chatId, botName, content: 'Which is the newest?' }] })
examples.add(completion.RegenerateRequest, { examples: [{ chatId, botName, userMessageId: messageId }] })
const call = { server: connector.name, tool: 'search', args: { about: 'owls' } }
examples.add(completion.ToolConfirmRequest, { examples: [{ botName, ...call, chatId, messageId }] })
examples.add(completion.StepDecisionRequest, {
  examples: [{ chatId, messageId, callId: 'call_2', allow: false, reason: 'Only books after 2020' }],
})
examples.add(completion.ToolAnswerRequest, {
  examples: [{ chatId, messageId, questionId: 'q1', answer: { action: 'accept', content: { year: 2026 } } }],
})
examples.add(completion.RunEvent, {
  id: 'RunEvent',
  examples: [{ type: 'text', seq: 3, choices: [{ delta: { content: 'There are' } }] }],
})
examples.add(completion.CompletionEvent, { id: 'CompletionEvent', examples: [{ type: 'heartbeat' }] })
examples.add(LiveEvent, { id: 'LiveEvent', examples: [{ type: 'chat_changed', chatId }] })

const noCredentials = { token: null, client_id: null, client_secret: null }
const connected = { status: 'connected', is_default: false, error_message: null, notice: null } as const
examples.add(Connector, {
  id: 'Connector',
  examples: [{ ...connector, ...noCredentials, ...connected, tools: [] }],
})
examples.add(ConnectorInput, {
  examples: [{ ...connector, token: 'secret', headers: [{ name: 'X-API-Key', value: 'secret' }] }],
})
examples.add(PermissionsInput, { examples: [{ tools: [{ name: 'search', permission: 'block' }] }] })
examples.add(GrantInput, {
  examples: [
    {
      server: connector.name,
      tool: 'search',
      fingerprint: 'b7Jexample',
      bot: botName,
      minutes: 60,
      rule: { argument: 'shelf', test: 'begins', value: 'birds/' },
    },
  ],
})
examples.add(IdTokenInput, { examples: [{ id_token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln' }] })
examples.add(AccountDeletion, {
  examples: [{ confirmation: 'ada@example.com', id_token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln' }],
})
examples.add(ConnectInput, { examples: [{ return_to: '/settings/connectors' }] })

examples.add(Integration, {
  id: 'Integration',
  examples: [{ name: 'google-gmail', auth_type: 'oauth', connected: true, api_key: null, notice: null }],
})
examples.add(IntegrationInput, { examples: [{ name: 'weather', auth_type: 'api_key', api_key: 'secret' }] })
examples.add(IntegrationCallback, { examples: [{ code: '4/0AXexample', state: 'k3Jexample' }] })

examples.add(ShareRequest, { examples: [{ messageId }] })
examples.add(ShareChange, { examples: [{ files: true }] })
examples.add(Drafts, { examples: [{ drafts: { home_page_draft: 'Which books about owls' } }] })
examples.add(FilePlanRequest, { examples: [{ botName, files: ['Vb3mYw8sQk1xTzL5cR0aDg'] }] })
examples.add(NotificationSettings, {
  id: 'Notifications',
  examples: [
    {
      kinds: ['reply_ended', 'call_asks'],
      with_text: false,
      devices: [
        {
          id: 'd1',
          label: 'Chrome on Android',
          created_at: time,
          used_at: null,
          endpoint_hash: 'a3f5',
        },
      ],
      webhook: { url: 'https://hooks.example/yonder', secret: 'whse••••••••k2M=', error: null },
      push_key: `B${'A'.repeat(86)}`,
    },
  ],
})
examples.add(NotificationChange, { examples: [{ kinds: ['call_asks'], with_text: true }] })
examples.add(PushSubscriptionInput, {
  examples: [
    {
      endpoint: 'https://push.example/send/abc',
      // Of RFC 8291.
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  ],
})
examples.add(WebhookInput, { examples: [{ url: 'https://hooks.example/yonder' }] })
examples.add(PresenceInput, { examples: [{ tab: 'k2j4h5', visible: true }] })
examples.add(NewImport, { examples: [{ files: [{ name: 'chatgpt-export.zip', size: 1_048_576 }] }] })
examples.add(ImportOptions, { examples: [{ bot: botName, project: true }] })
examples.add(ShareResponse, { examples: [{ shareId: 'uB6zXo4wMf2jGs8RpYd0Nq' }] })
