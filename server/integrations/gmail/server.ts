import { McpServer } from '@modelcontextprotocol/server'
import type { GoogleApiDeps } from '../google/api-client.ts'
import type { GoogleLimits } from '../google/retry.ts'
import type { IntegrationAccount } from '../integration-connector.ts'
import { openGmail } from './client.ts'
import { createDraft, listDrafts, readDraft, updateDraft } from './drafts.ts'
import { archiveMessages, createLabel, labelMessages, listLabels, markMessages } from './labels.ts'
import { readMessage, readThread, searchMessages } from './read-messages.ts'
import { replyToMessage, sendDraft, sendMessage } from './send.ts'

const tools = [
  searchMessages,
  readMessage,
  readThread,
  listLabels,
  listDrafts,
  readDraft,
  createLabel,
  labelMessages,
  archiveMessages,
  markMessages,
  createDraft,
  updateDraft,
  sendDraft,
  sendMessage,
  replyToMessage,
]

/** The MCP server of one user's Gmail. */
export function createGmailServer(
  deps: GoogleApiDeps,
  account: IntegrationAccount,
  limits?: GoogleLimits,
): McpServer {
  const server = new McpServer({ name: 'yonder-gmail', title: 'Gmail', version: '1.0.0' })
  const openClient = (signal: AbortSignal) => openGmail(deps, account.userId, signal, limits)
  for (const tool of tools)
    tool.register(server, openClient, (failure) => deps.recordFailure(account, 'google-gmail', failure))
  return server
}
