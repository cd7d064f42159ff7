import type { ToolCall } from '@yonder/contract/tool-call'
import {
  parseCall,
  placeOf,
  remainingCalls,
  type BatchCall,
  type RemainingCalls,
  type StoredCall,
} from '../../chats/tool-call-store.ts'
import { failure, failureWithAdvice, type ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type { ReadBotConnectors, ResolvedTool } from '../../connectors/tools/resolve-tool.ts'
import { parseDefinition } from '../../connectors/tools/tool-store.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { ToolInvocation } from '../run.ts'

/** The connector name of a tool whose name the model made up. */
const unknownConnector = 'unknown'

export interface CallToDecide {
  readonly replyId: string
  readonly call: BatchCall
  /** The calls of the same batch that come after it. */
  readonly remaining: RemainingCalls
  readonly readBotConnectors?: ReadBotConnectors
  /** Aborting it ends the check of the arguments. */
  readonly signal: AbortSignal
}

export interface DecidedCall {
  /** What the user sees of the call. */
  readonly shown: { readonly server: string; readonly tool: string; readonly call: ToolCall }
  readonly connectorId: string | null
  /** The `call` column of the reply. */
  readonly stored: StoredCall
  /** Undefined when the call needs approval. */
  readonly invocation: ToolInvocation | undefined
}

type ConnectorDeps = Pick<CompletionDeps, 'connectors'>

/**
 * Decides whether a call runs at once or needs approval, by the stored definition of its tool. A call
 * that cannot run needs no approval: its result says why, so that the model can correct it.
 */
export async function decideCall(
  deps: ConnectorDeps,
  user: User,
  { replyId, call, remaining, readBotConnectors, signal }: CallToDecide,
): Promise<DecidedCall> {
  const { target } = call
  const resolved = target && (await deps.connectors.resolveTool(user, { ...target, readBotConnectors }))
  const known = resolved?.kind === 'missing' ? undefined : resolved
  const refusal = await findRefusal(deps, user, { call, signal }, resolved)
  const decision = refusal === undefined && known !== undefined ? known.decision : noApprovalNeeded
  const connectorId = target?.connectorId ?? null
  const server = known?.connector.name ?? target?.connectorName ?? unknownConnector
  const tool = target?.toolName ?? call.name
  const title = known === undefined ? null : parseDefinition(known.tool.definition).title
  const described = {
    ...(title === null ? {} : { title }),
    ...(decision.kind === 'ask_changed' ? { changes: [...decision.changes] } : {}),
  }
  // No tool has an empty fingerprint, so a tool that is added with this name a moment later is not called.
  const fingerprint = known?.tool.fingerprint ?? ''
  const runsAtOnce = decision.kind === 'run'
  const seen = { fingerprint, ...(runsAtOnce || known === undefined ? {} : { credential: known.credential }) }
  const { calls: rest, total } = remaining
  const stored: StoredCall = {
    id: call.id,
    name: call.name,
    ...(call.note === undefined ? {} : { note: call.note }),
    ...(target === undefined ? { unknown: true } : {}),
    ...(call.isBroken ? { isBroken: true } : {}),
    ...(rest.length + 1 < total ? { continues: true } : {}),
    ...(total > 1 ? { total } : {}),
    ...described,
    ...seen,
    rest,
  }
  const place = placeOf(stored)
  const shownCall = { ...described, ...(place === undefined ? {} : { place }) }
  return {
    shown: {
      server,
      tool,
      call: runsAtOnce ? { state: 'running', ...shownCall } : { state: 'waiting', ...shownCall, ...seen },
    },
    connectorId,
    stored,
    invocation: runsAtOnce
      ? {
          ...toInvocation(
            { id: replyId, connector_id: connectorId, server, tool, arguments: call.arguments },
            stored,
            decision.by,
          ),
          refusal,
        }
      : undefined,
  }
}

/** A call that cannot run, or whose tool does not exist, needs no approval. Its result gives the reason. */
const noApprovalNeeded = { kind: 'run', by: 'no_list' } as const

/** Returns the result of a call that cannot be made; undefined when `callTool` is to decide. */
async function findRefusal(
  { connectors }: ConnectorDeps,
  user: User,
  { call, signal }: Pick<CallToDecide, 'call' | 'signal'>,
  resolved: ResolvedTool | undefined,
): Promise<ToolOutcome | undefined> {
  if (resolved === undefined) return failure(`There is no tool named "${call.name}".`)
  if (call.isBroken) return refuseBrokenArguments(call.arguments)
  // Not refused here: `callTool` fails with the reason why the tool is missing.
  if (resolved.kind === 'missing') return undefined
  if (resolved.kind === 'unusable') return failure(resolved.reason)
  const problem = await connectors.checkArguments(user, resolved.tool, call.arguments, signal)
  if (problem === undefined) return undefined
  return failureWithAdvice(
    `The tool was not called. ${problem}`,
    'Correct the arguments and call the tool again.',
  )
}

/** Characters of broken arguments that the model reads again, to see its mistake. */
const maxQuotedChars = 2_000

function refuseBrokenArguments(text: string): ToolOutcome {
  const reason = 'The tool was not called: the arguments of the model are not a JSON object.'
  const quoted = text.slice(0, maxQuotedChars).toWellFormed()
  return failureWithAdvice(
    reason,
    `The arguments were: ${quoted}\n(${explainParseError(text)}) Call the tool again with one valid JSON object.`,
  )
}

function explainParseError(text: string): string {
  try {
    JSON.parse(text)
    return 'This is valid JSON, but not an object, or it is nested too deeply.'
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not valid JSON.'
  }
}

/** Creates the invocation of a call that needed approval, and that the user has just allowed. */
export function approveCall({
  id,
  connector_id,
  server,
  tool,
  arguments: callArguments,
  call,
}: MessageRow): ToolInvocation {
  if (server === null || tool === null || call === null) throw new Error(`reply ${id} has no tool call`)
  const stored = parseCall(call)
  const reply = { id, connector_id, server, tool, arguments: callArguments ?? '{}' }
  // A call that was stored without its credential is not made: no connector has an empty one.
  return toInvocation(reply, { ...stored, credential: stored.credential ?? '' }, 'once')
}

function toInvocation(
  reply: Pick<MessageRow, 'id' | 'connector_id'> & {
    readonly server: string
    readonly tool: string
    readonly arguments: string
  },
  stored: StoredCall,
  approval: ToolInvocation['approval'],
): ToolInvocation {
  return {
    replyId: reply.id,
    connectorId: reply.connector_id,
    connectorName: reply.server,
    toolName: reply.tool,
    arguments: reply.arguments,
    refusal: undefined,
    approval,
    fingerprint: stored.fingerprint,
    credential: stored.credential,
    remaining: remainingCalls(stored),
  }
}
