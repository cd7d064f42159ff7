import type { InboxItem } from '@yonder/contract/inbox'
import { denialText } from '@yonder/contract/message-text'
import type { ApiClient } from '../../lib/api/api-client.ts'
import { requestRun } from '../chat/session/request-run.ts'
import { createMessageId } from '../chat/session/run-messages.ts'

/** Allows the call of an item, with other arguments if `edited` is their JSON text. Throws what `requestRun` throws. */
export async function sendApproval(
  api: ApiClient,
  { chat_id: chatId, message }: InboxItem,
  botName: string,
  edited: string | undefined,
): Promise<void> {
  const { id: messageId, server, tool, arguments: args } = message
  await requestRun(api, '/api/tool/confirm', { botName, server, tool, args, edited, chatId, messageId })
}

/**
 * Denies the call of an item, but not the calls after it, by a message under its reply, as the chat does: without
 * `denyOne`, it would go into the chat even when the call has been decided elsewhere. Throws what `requestRun` throws.
 */
export async function sendDenial(
  api: ApiClient,
  { chat_id: chatId, message }: InboxItem,
  botName: string,
  reason: string | undefined,
): Promise<void> {
  await requestRun(api, '/api/chat/completions', {
    id: createMessageId(),
    chatId,
    parentId: message.id,
    botName,
    content: reason ?? denialText,
    denyOne: true,
  })
}
