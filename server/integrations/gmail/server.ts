import { McpServer } from '@modelcontextprotocol/server'
import type { GoogleApiDeps } from '../google/api-client.ts'
import type { GoogleLimits } from '../google/google-limits.ts'
import { archiveMessages } from './archive-mails.ts'
import { createDraft } from './create-draft.ts'
import { createLabel } from './create-label.ts'
import { openGmail } from './gmail-client.ts'
import { labelMessages } from './label-mails.ts'
import { listDrafts } from './list-drafts.ts'
import { listLabels } from './list-labels.ts'
import { markMessages } from './mark-mails.ts'
import { readDraft } from './read-draft.ts'
import { readMessage } from './read-mail.ts'
import { readThread } from './read-mail-thread.ts'
import { replyToMessage } from './reply-to-mail.ts'
import { searchMessages } from './search-mail.ts'
import { sendDraft } from './send-draft.ts'
import { sendMessage } from './send-mail.ts'
import { updateDraft } from './update-draft.ts'

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

/** The server behind one person's Gmail connector. */
export function createGmailServer(deps: GoogleApiDeps, userId: string, limits?: GoogleLimits): McpServer {
  const server = new McpServer({ name: 'yonder-gmail', title: 'Gmail', version: '1.0.0' })
  for (const tool of tools) tool.register(server, (signal) => openGmail(deps, userId, signal, limits))
  return server
}
