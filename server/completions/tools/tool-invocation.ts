import type { ToolCall } from '@yonder/contract/tool-call'
import { parseCall } from '../../chats/tool-call-store.ts'
import type { BatchCall, StoredCall } from '../../chats/tool-call-store.ts'
import { parseDefinition } from '../../connectors/tools/tool-store.ts'
import type { KnownTool, ToolTarget } from '../../connectors/tools/resolve-tool.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'

/** A call that was approved or needs no approval, and is run next. */
export interface ToolInvocation {
  /** The reply that makes the call. */
  readonly replyId: string
  readonly connectorName: string
  readonly toolName: string
  /** A JSON object as text. */
  readonly arguments: string
  /** True when the tool does not exist: the model made up its name. */
  readonly isUnknown: boolean
  readonly approval: 'once' | 'listed' | 'no_list'
  /** Identifies the tool definition that was approved. A tool that has changed since is not called. */
  readonly fingerprint: string | undefined
  /** The connector and credential that the user approved. Undefined for a call that needed no approval. */
  readonly credential: string | undefined
  /** The calls of the same turn that come after it. */
  readonly remaining: readonly BatchCall[]
}

/** The connector name of a tool whose name the model made up. */
const unknownConnector = 'unknown'

export interface CallToDecide {
  readonly replyId: string
  readonly call: BatchCall
  /** The calls of the same turn that come after it. */
  readonly remaining: readonly BatchCall[]
  /** True when the turn began with another call. */
  readonly continues: boolean
}

export interface DecidedCall {
  readonly shown: { readonly server: string; readonly tool: string; readonly call: ToolCall }
  readonly stored: StoredCall
  /** Undefined when the call needs approval. */
  readonly invocation: ToolInvocation | undefined
}

type ConnectorDeps = Pick<CompletionDeps, 'connectors'>

/** Decides whether a call runs at once or needs approval (§4.18, §4.19), by the stored definition of its tool. */
export async function decideCall(
  deps: ConnectorDeps,
  user: User,
  { replyId, call, remaining, continues }: CallToDecide,
): Promise<DecidedCall> {
  const { target } = call
  const known = await findTool(deps, user, target)
  // A call of a tool that does not exist needs no approval. Its result is that the tool does not exist.
  const consent = known?.consent ?? { kind: 'run', by: 'no_list' }
  const server = target?.connectorName ?? unknownConnector
  const tool = target?.toolName ?? call.name
  const title = known === undefined ? null : parseDefinition(known.tool.definition).title
  const described = {
    ...(title === null ? {} : { title }),
    ...(consent.kind === 'ask_changed' ? { changes: [...consent.changes] } : {}),
  }
  // No tool has an empty fingerprint, so a tool that is added with this name a moment later is not called.
  const fingerprint = known?.tool.fingerprint ?? ''
  const isRun = consent.kind === 'run'
  const seen = { fingerprint, ...(isRun || known === undefined ? {} : { credential: known.credential }) }
  const stored: StoredCall = {
    id: call.id,
    name: call.name,
    ...(call.note === undefined ? {} : { note: call.note }),
    ...(target === undefined ? { unknown: true } : {}),
    ...(continues ? { continues } : {}),
    ...described,
    ...seen,
    rest: remaining,
  }
  return {
    shown: {
      server,
      tool,
      call: isRun ? { state: 'running', ...described } : { state: 'waiting', ...described, ...seen },
    },
    stored,
    invocation: isRun
      ? toInvocation({ id: replyId, server, tool, arguments: call.arguments }, stored, consent.by)
      : undefined,
  }
}

/** Creates the invocation of a pending approval call that the user has just approved. */
export async function approveCall(deps: ConnectorDeps, user: User, row: MessageRow): Promise<ToolInvocation> {
  const { id, server, tool, arguments: callArguments, call } = row
  if (server === null || tool === null || call === null) throw new Error(`reply ${id} has no tool call`)
  // The tool may be on the allow list by now: "Allow Always" adds it first (§4.21).
  const known = await findTool(deps, user, { connectorName: server, toolName: tool })
  const approval = known?.consent.kind === 'run' ? known.consent.by : 'once'
  const stored = parseCall(call)
  const reply = { id, server, tool, arguments: callArguments ?? '{}' }
  // A call that was stored without its credential is not made: no connector has an empty one.
  return toInvocation(reply, { ...stored, credential: stored.credential ?? '' }, approval)
}

async function findTool(
  { connectors }: ConnectorDeps,
  user: User,
  target: ToolTarget | undefined,
): Promise<KnownTool | undefined> {
  if (target === undefined) return undefined
  const resolved = await connectors.resolveTool(user, target)
  return resolved.kind === 'missing' ? undefined : resolved
}

function toInvocation(
  reply: { readonly id: string; readonly server: string; readonly tool: string; readonly arguments: string },
  { unknown, fingerprint, credential, rest: remaining }: StoredCall,
  approval: ToolInvocation['approval'],
): ToolInvocation {
  return {
    replyId: reply.id,
    connectorName: reply.server,
    toolName: reply.tool,
    arguments: reply.arguments,
    isUnknown: unknown === true,
    approval,
    fingerprint,
    credential,
    remaining,
  }
}
