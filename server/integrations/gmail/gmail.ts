import { createDraft, listDrafts, readDraft, updateDraft } from './drafts.ts'
import { archiveMessages, createLabel, labelMessages, listLabels, markMessages } from './labels.ts'
import { readMessage, readThread, searchMessages } from './read-messages.ts'
import { replyToMessage, sendDraft, sendMessage } from './send.ts'

export { openGmail as open, readGmailAccount as readAccount } from './client.ts'

export const tools = [
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
