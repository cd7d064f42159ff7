import { parseCall } from '../../chats/stored-call.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'

/** Puts on record that a person denied the call of a reply, and with it those that would have come after it. */
export async function recordDenials(
  { connectors, onError }: Pick<CompletionDeps, 'connectors' | 'onError'>,
  user: User,
  { server, tool, arguments: callArguments, call }: MessageRow,
): Promise<void> {
  const rest = call === null ? [] : parseCall(call).rest
  const denied = [
    { connectorName: server ?? '', toolName: tool ?? '', arguments: callArguments },
    ...rest.flatMap(({ target, arguments: text }) =>
      target === undefined ? [] : [{ ...target, arguments: text }],
    ),
  ]
  try {
    for (const each of denied) {
      await connectors.recordDenial(user, each.connectorName, each.toolName, each.arguments)
    }
  } catch (error) {
    // The message is written and its reply is on the way: neither fails for a line in the record.
    onError(error)
  }
}
