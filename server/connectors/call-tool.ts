import { InsufficientScopeError } from '@modelcontextprotocol/client'
import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import type { CallOutcome } from '@yonder/contract/connector'
import type { ConnectorRow, ConnectorToolRow } from '../db/connector-tables.ts'
import { AppError } from '../http/app-error.ts'
import { changeState } from './change-state.ts'
import { checkElicitationAnswer } from './check-elicitation-answer.ts'
import { connectionKey } from './connection-key.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { findConnector } from './connector-store.ts'
import type { Owner } from './connector-store.ts'
import { CallClock } from './mcp/call-clock.ts'
import { callServerTool } from './mcp/call-server-tool.ts'
import type { CallProgress } from './mcp/call-server-tool.ts'
import { explainFailure, needsAuthorization } from './mcp/explain-failure.ts'
import { rememberScope } from './oauth/ask-for-scope.ts'
import { readArguments } from './read-arguments.ts'
import { readElicitation } from './read-elicitation.ts'
import { readResult } from './read-result.ts'
import { recordCall } from './record-call.ts'
import { parseDefinition } from './tool-definition.ts'
import type { CallApproval, ToolOutcome } from './tool-outcome.ts'
import { findTool } from './tool-store.ts'
import { useServer } from './use-server.ts'
import { waitsForIntegration } from './waits-for-integration.ts'

export interface ToolCallRequest {
  readonly user: Owner
  readonly connectorName: string
  readonly toolName: string
  /** The text of a JSON object, or the object. */
  readonly arguments: unknown
  /** How it was decided that the call runs. */
  readonly approval: CallApproval
  /** The tool as it was decided on (`ToolConsent.tool.fingerprint`): another one is not called in its place. */
  readonly fingerprint?: string
  /** Aborting ends the request at the server too. */
  readonly signal: AbortSignal
  readonly onProgress?: (progress: CallProgress) => void
  /** Asks the person; the signal aborts when no answer is wanted any more. Without it every question is declined. */
  readonly onElicit?: (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>
}

/**
 * Calls a tool once and says how it went. Never rejects for what a connector, its server or the arguments do: that is a
 * result which the model and the person read. Every call that begins is on record.
 */
export async function callTool(deps: ConnectorDeps, request: ToolCallRequest): Promise<ToolOutcome> {
  const found = await findCallable(deps, request)
  if ('status' in found) return found
  const { connector, tool } = found
  const recorded = await recordCall(deps, request.user, connector, {
    tool: tool.name,
    arguments: found.arguments,
    approval: request.approval,
  })
  const outcome = await new RunningCall(deps, request, connector, tool, found.arguments).run()
  await recorded.end(toRecorded(outcome.status), outcome)
  return outcome
}

interface Callable {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly arguments: Readonly<Record<string, unknown>>
}

async function findCallable(
  { database: { db }, builtIns }: ConnectorDeps,
  { user, connectorName, toolName, fingerprint, ...request }: ToolCallRequest,
): Promise<Callable | ToolOutcome> {
  const connector = await findConnector(db, user, connectorName)
  if (connector === undefined) return failure(`There is no connector named "${connectorName}".`)
  if (await builtIns.isWaiting(connector)) {
    return failure(waitsForIntegration(connector.name), { status: 'authorization_needed' })
  }
  if (connector.status === 'disconnected') return failure(`The connector "${connectorName}" is disconnected.`)
  const tool = await findTool(db, connector, toolName)
  if (tool === undefined) return failure(`The connector "${connectorName}" has no tool named "${toolName}".`)
  if (tool.problem !== null) return failure(`The tool "${toolName}" cannot be used: ${tool.problem}.`)
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint) {
    return failure(`The tool "${toolName}" has changed since the call was allowed. It was not called.`)
  }
  try {
    return { connector, tool, arguments: readArguments(request.arguments) }
  } catch (error) {
    if (error instanceof AppError) return failure(error.message)
    throw error
  }
}

function failure(text: string, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return { status: 'failed', text, parts: [{ type: 'note', text }], duration: 0, bytes: 0, ...rest }
}

function toRecorded(status: ToolOutcome['status']): CallOutcome {
  switch (status) {
    case 'authorization_needed':
      return 'failed'
    case 'interrupted':
      return 'started'
    default:
      return status
  }
}

class RunningCall {
  readonly #deps: ConnectorDeps
  readonly #request: ToolCallRequest
  readonly #connector: ConnectorRow
  readonly #tool: ConnectorToolRow
  readonly #arguments: Readonly<Record<string, unknown>>
  #clock: CallClock | undefined

  constructor(
    deps: ConnectorDeps,
    request: ToolCallRequest,
    connector: ConnectorRow,
    tool: ConnectorToolRow,
    callArguments: Readonly<Record<string, unknown>>,
  ) {
    this.#deps = deps
    this.#request = request
    this.#connector = connector
    this.#tool = tool
    this.#arguments = callArguments
  }

  async run(): Promise<ToolOutcome> {
    const signal = AbortSignal.any([this.#request.signal, this.#deps.closing])
    let free: (() => void) | undefined
    try {
      free = await this.#takeSlot(signal)
      this.#deps.retries.require(connectionKey(this.#connector))
      return await this.#callNow(signal)
    } catch (error) {
      return await this.#explain(error)
    } finally {
      this.#clock?.stop()
      free?.()
    }
  }

  #takeSlot(signal: AbortSignal): Promise<() => void> {
    const { limits, slots } = this.#deps
    return slots.take(
      [
        { key: `connector ${this.#connector.id}`, most: limits.callsPerConnector },
        { key: `user ${this.#request.user.id}`, most: limits.callsPerUser },
        { key: `host ${hostOf(this.#connector.url)}`, most: limits.callsPerHost },
      ],
      signal,
    )
  }

  async #callNow(signal: AbortSignal): Promise<ToolOutcome> {
    const { limits } = this.#deps
    const clock = new CallClock({ idle: limits.callIdle, total: limits.call }, signal)
    this.#clock = clock
    const result = await useServer(this.#deps, this.#connector, { signal: clock.signal }, (connection) =>
      callServerTool(
        connection,
        {
          tool: parseDefinition(this.#tool.definition),
          arguments: this.#arguments,
          clock,
          onProgress: (progress) => this.#request.onProgress?.(progress),
          onElicit: (params, ends) => this.#elicit(params, ends),
        },
        limits,
      ),
    )
    this.#deps.retries.reset(connectionKey(this.#connector))
    const { isError, ...read } = await readResult(result, limits)
    return { ...read, status: isError ? await this.#nameError() : 'done', duration: clock.elapsed }
  }

  /** Google may have ended the consent during the call. */
  async #nameError(): Promise<ToolOutcome['status']> {
    return (await this.#deps.builtIns.isWaiting(this.#connector)) ? 'authorization_needed' : 'tool_error'
  }

  async #elicit(params: unknown, signal: AbortSignal): Promise<ElicitationAnswer> {
    const question = readElicitation(params, this.#deps.limits.elicitationFields)
    const { onElicit } = this.#request
    if (question === undefined || onElicit === undefined) return { action: 'decline' }
    try {
      const answer = await onElicit(question, signal)
      return checkElicitationAnswer(question, answer) ?? { action: 'cancel' }
    } catch (error) {
      this.#deps.onError(error)
      return { action: 'cancel' }
    }
  }

  async #explain(error: unknown): Promise<ToolOutcome> {
    const rest = { duration: this.#clock?.elapsed ?? 0 }
    if (this.#request.signal.aborted) return failure('The call was stopped.', { status: 'stopped', ...rest })
    if (this.#deps.closing.aborted) return failure('The server went down during the call.', rest)
    if (this.#clock?.timedOut === true) {
      const text = 'The tool took too long. Whether it has done its work is not known.'
      return failure(text, { status: 'timed_out', ...rest })
    }
    const { code, message } = explainFailure(error)
    if (code === 'not_connected') return failure(message, { status: 'authorization_needed', ...rest })
    if (await this.#wantsConsent(error)) {
      const text = `The connector "${this.#connector.name}" needs the user's authorization before this tool can be used.`
      return failure(text, { status: 'authorization_needed', ...rest })
    }
    return failure(`The tool failed: ${message}`, rest)
  }

  /** Then connecting again sends the person to their consent, and the connector says so until they have. */
  async #wantsConsent(error: unknown): Promise<boolean> {
    if (!needsAuthorization(error) || this.#connector.token !== null) return false
    if (
      error instanceof InsufficientScopeError &&
      !(await rememberScope(this.#deps, this.#connector, error))
    ) {
      return false
    }
    await changeState(this.#deps, this.#connector, {
      status: 'failed',
      error_message: explainFailure(error).message,
    })
    return true
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
