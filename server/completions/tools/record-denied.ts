import type { CallDecision } from '@yonder/contract/tool-call'
import type { Actor } from '../../access/access.ts'
import type { LaterCall } from '../../chats/tool-call-store.ts'
import type { DeniedCall } from '../../connectors/calls/call-record-store.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { CompletionDeps } from '../completion-deps.ts'

/**
 * Records calls that were not made. That they are denied is stored already, so a failure to record it is only reported.
 */
export async function recordDenied(
  { connectors, onError }: Pick<CompletionDeps, 'connectors' | 'onError'>,
  user: Actor,
  calls: readonly DeniedCall[],
): Promise<void> {
  try {
    for (const call of calls) await connectors.recordDenial(user, call)
  } catch (error) {
    onError(error)
  }
}

/** Returns the denied call of a reply, and the later ones of its step that were denied with it. */
export function listDenied(
  reply: Pick<MessageRow, 'chat_id' | 'id' | 'connector_id' | 'server' | 'tool' | 'arguments'>,
  { kind, at, on }: CallDecision,
  rest: readonly LaterCall[] = [],
): DeniedCall[] {
  const shared = {
    chatId: reply.chat_id,
    approval: kind === 'expired' ? kind : 'denied',
    decided: { messageId: reply.id, at, ...(on !== undefined && { on }) },
  } as const
  return [
    {
      ...shared,
      connectorId: reply.connector_id ?? '',
      ...(reply.server !== null && { connectorName: reply.server }),
      toolName: reply.tool ?? '',
      arguments: reply.arguments,
    },
    ...rest.flatMap(({ target, arguments: text }) =>
      target === undefined ? [] : [{ ...shared, ...target, arguments: text }],
    ),
  ]
}
