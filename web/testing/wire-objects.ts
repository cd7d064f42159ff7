import type { Bot } from '@yonder/contract/bot'
import type { Chat, ChatSummary } from '@yonder/contract/chat'
import type { BrowseServer, Connector, ConnectorTool } from '@yonder/contract/connector'
import type { Integration } from '@yonder/contract/integration'
import type { Message } from '@yonder/contract/message'
import type { OwnShare, SharedChat } from '@yonder/contract/share'
import { wireMessage } from '@yonder/contract/testing/messages'

// Builders of the objects that the server sends. A test passes only the fields that matter to it.

export function makeBot(fields: Partial<Bot> = {}): Bot {
  return {
    name: 'Owl',
    model: 'owl-1',
    base_url: null,
    api_key: null,
    api_type: null,
    custom_api_path: null,
    max_tokens: null,
    ...fields,
  }
}

export const owlAndFox: readonly Bot[] = [makeBot(), makeBot({ name: 'Fox', model: 'fox-2' })]

/** A complete user message with an id and a parent. */
export function makeMessage(id: string, parent: string | null, fields: Partial<Message> = {}): Message {
  return wireMessage({ id, parent_id: parent, content: `text of ${id}`, ...fields })
}

/** A complete reply of the bot Owl. */
export function makeReply(id: string, parent: string, fields: Partial<Message> = {}): Message {
  return makeMessage(id, parent, { role: 'assistant', model: 'owl-1', bot: 'Owl', ...fields })
}

/** A chat whose last message is selected. */
export function makeChat(messages: readonly Message[] = [], fields: Partial<Chat> = {}): Chat {
  return {
    id: 'c1',
    messages: [...messages],
    update_time: '2026-11-20T10:00:00.000Z',
    selected_message_id: messages.at(-1)?.id ?? null,
    run: null,
    ...fields,
  }
}

export function makeChatSummary(fields: Partial<ChatSummary> = {}): ChatSummary {
  return { id: 'c1', update_time: '2026-01-02T03:04:05.000Z', messages: [], ...fields }
}

/** A shared chat whose last message is selected. */
export function makeSharedChat(id: string, messages: readonly Message[]): SharedChat {
  return {
    id,
    messages: [...messages],
    update_time: '2026-11-20T10:00:00.000Z',
    selected_message_id: messages.at(-1)?.id ?? '',
  }
}

export function makeOwnShare(fields: Partial<OwnShare> = {}): OwnShare {
  const created_at = '2026-11-19T10:00:00.000Z'
  return { id: 'abc', title: 'How do tides work?', created_at, files: false, ...fields }
}

export function makeIntegration(fields: Partial<Integration> = {}): Integration {
  return {
    name: 'google-gmail',
    auth_type: 'oauth',
    connected: false,
    api_key: null,
    notice: null,
    ...fields,
  }
}

export function makeConnector(fields: Partial<Connector> & { readonly name: string }): Connector {
  return {
    url: `https://${fields.name.toLowerCase().replace(/\W/g, '')}.example/mcp`,
    token: null,
    client_id: null,
    client_secret: null,
    status: 'disconnected',
    is_default: false,
    error_message: null,
    notice: null,
    allow_tools: [],
    tools: [],
    ...fields,
  }
}

export function makeTool(name: string, fields: Partial<ConnectorTool> = {}): ConnectorTool {
  return {
    name,
    title: null,
    description: `What ${name} does.`,
    fingerprint: `fingerprint of ${name}`,
    consent: 'ask',
    problem: null,
    ...fields,
  }
}

/** An entry of the catalogue of connectors. */
export function makeServer(title: string, fields: Partial<BrowseServer> = {}): BrowseServer {
  return {
    name: 'mcp',
    title,
    author_name: 'example.com',
    description: `What ${title} is for.`,
    config_name: `com.example/${title}`,
    server_url: `https://${title.toLowerCase()}.example/mcp`,
    uuid: title,
    needs_token: false,
    ...fields,
  }
}
