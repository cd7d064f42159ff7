import type { ToolCall } from '@yonder/contract/tool-call'
import type { BatchCall, StoredCall } from '../../chats/stored-call.ts'
import { parseDefinition } from '../../connectors/tools/tool-definition.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { HandedCall } from '../loop/run-completion.ts'

/** What stands for the connector of a tool that a model made up. */
const unknownConnector = 'unknown'

export interface CallToDecide {
  readonly replyId: string
  readonly call: BatchCall
  readonly rest: readonly BatchCall[]
  readonly continues: boolean
}

export interface DecidedCall {
  readonly shown: { readonly server: string; readonly tool: string; readonly call: ToolCall }
  readonly stored: StoredCall
  /** Only for a call that runs without asking. */
  readonly handed: HandedCall | undefined
}

/** Whether a call runs at once or asks (§4.18, §4.19): decided here, on what is known of its tool now. */
export async function decideCall(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  user: User,
  { replyId, call, rest, continues }: CallToDecide,
): Promise<DecidedCall> {
  const { target } = call
  const resolved = target && (await connectors.resolveTool(user, target))
  // A call of a tool that is not there runs, into an outcome that says so.
  const known = resolved === undefined || resolved.kind === 'missing' ? undefined : resolved
  const decision = known?.consent ?? { kind: 'run', by: 'no_list' }
  const connectorName = target?.connectorName ?? unknownConnector
  const toolName = target?.toolName ?? call.name
  const title = known === undefined ? null : parseDefinition(known.tool.definition).title
  const described = {
    ...(title === null ? {} : { title }),
    ...(decision.kind === 'ask_changed' ? { changes: [...decision.changes] } : {}),
  }
  // Of a tool that is not there: none has this one, so what stands in its place a moment later is not called.
  const fingerprint = known?.tool.fingerprint ?? ''
  const asks = decision.kind !== 'run'
  return {
    shown: {
      server: connectorName,
      tool: toolName,
      call: asks ? { state: 'waiting', ...described, fingerprint } : { state: 'running', ...described },
    },
    stored: {
      id: call.id,
      name: call.name,
      ...(call.note === undefined ? {} : { note: call.note }),
      ...(target === undefined ? { unknown: true } : {}),
      ...(continues ? { continues } : {}),
      ...described,
      fingerprint,
      rest,
    },
    handed:
      decision.kind === 'run'
        ? {
            replyId,
            connectorName,
            toolName,
            arguments: call.arguments,
            unknown: target === undefined,
            approval: decision.by,
            fingerprint,
            rest,
          }
        : undefined,
  }
}
