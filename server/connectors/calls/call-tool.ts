import { InsufficientScopeError, ProtocolError } from '@modelcontextprotocol/client'
import type { CallOutcome } from '@yonder/contract/connector'
import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import type { ErrorCode } from '@yonder/contract/error'
import type { Actor } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { AppError, listCauses } from '../../lib/app-error.ts'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import type { Acquired } from '../../lib/concurrency-limiter.ts'
import { toVisibleLine } from '../../lib/text.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { changeState, storeCallError } from '../connector-state.ts'
import type { ConnectorState } from '../connector-store.ts'
import { CallClock, callServerTool, type CallProgress } from '../mcp/call-server-tool.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import {
  explainFailure,
  isLastingFailure,
  isOutcomeUnknown,
  needsAuthorization,
  quoteRefusal,
} from '../mcp/explain-failure.ts'
import { useServer } from '../mcp/use-server.ts'
import { rememberMissingScope } from '../oauth/authorize-server.ts'
import type { CallTarget } from '../tools/adapt-tools.ts'
import type { OnStatus } from '../tools/connection-round.ts'
import type { ToolUse } from '../tools/match-grants.ts'
import { refreshTools } from '../tools/refresh-tools.ts'
import { resolveTool, type ReadBotConnectors, type ResolvedTool } from '../tools/resolve-tool.ts'
import { parseDefinition } from '../tools/tool-store.ts'
import { recordCall, type StartedRecord } from './call-record-store.ts'
import { checkElicitationAnswer, readElicitation, toSentAnswer, type SentAnswer } from './elicitation-form.ts'
import {
  addNote,
  failure,
  failureWithAdvice,
  interruptedCall,
  readArguments,
  stoppedCall,
  unknownFailure,
  type CallApproval,
  type DecidedBy,
  type ToolOutcome,
} from './tool-call.ts'

export interface ToolCallRequest extends CallTarget {
  readonly user: Actor
  /** A JSON object, or its text. */
  readonly arguments: unknown
  /** Why the call may run. */
  readonly approval: CallApproval
  /** Who decided about the call, for its record. */
  readonly decided?: DecidedBy
  /** The fingerprint of the approved tool. A tool that has changed since then is not called. */
  readonly fingerprint?: string
  /** The connector and credential that the user approved, see `credentialIdOf`. The tool is not called with others. */
  readonly credential?: string
  readonly readBotConnectors?: ReadBotConnectors
  /** The chat that makes the call. Its calls of one server share a session there. */
  readonly chatId?: string
  /** The bot that makes the call. Without it and the chat, no grant with limits allows the call. */
  readonly botId?: string
  /** Aborting it also cancels the request at the server. */
  readonly signal: AbortSignal
  /** Called when the call is sent to the server. Before that, the tool has certainly not run. */
  readonly onSend?: () => void
  readonly onProgress?: (progress: CallProgress) => void
  /** Reports that the connector cannot be reached or probably fails other calls too, or that it works again. */
  readonly onStatus?: OnStatus
  /**
   * Shows the elicitation to the user and resolves with the answer; `signal` aborts when it is no longer needed.
   * Without `onElicit`, elicitations are declined.
   */
  readonly onElicit?: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>
}

/** A tool that can be called, with the checked arguments. */
interface CallableTool {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  /** Why the call may run now, which is recorded. */
  readonly approval: CallApproval
  /** The grant that allows it, if one does. */
  readonly grantId: string | undefined
  readonly arguments: Readonly<Record<string, unknown>>
}

/**
 * Calls a tool and returns its outcome. Never rejects because of a connector, its server or the arguments: such a
 * failure is returned as an outcome for the model and the user. Every call that starts is recorded.
 */
export async function callTool(deps: ConnectorDeps, request: ToolCallRequest): Promise<ToolOutcome> {
  const found = authorizeCall(
    await resolveTool(deps, request.user, { ...request, use: useOf(request) }),
    request,
  )
  if ('status' in found) return found
  let callArguments: CallableTool['arguments']
  try {
    callArguments = readArguments(request.arguments)
  } catch (error) {
    if (error instanceof AppError) return failure(error.message)
    throw error
  }
  const recorded = await recordCall(deps, request.user, found.connector, {
    tool: found.tool.name,
    arguments: callArguments,
    approval: found.approval,
    chatId: request.chatId ?? null,
    grantId: found.grantId,
    decided: request.decided,
  })
  const callable = { ...found, arguments: callArguments }
  const outcome = await new RunningCall(deps, request, callable, recorded).run()
  // The tool has run, so its outcome is returned even when the record cannot be completed.
  await recorded.end(toRecorded(outcome.status), outcome).catch(deps.onError)
  return outcome
}

/**
 * Returns the tool if this request is allowed to call it, else an outcome that explains why not. Never throws.
 */
function authorizeCall(
  resolved: ResolvedTool,
  { toolName, approval, fingerprint, credential }: ToolCallRequest,
): Omit<CallableTool, 'arguments'> | ToolOutcome {
  if (resolved.kind === 'missing') {
    return failure(resolved.reason, resolved.needsIntegration ? { status: 'authorization_needed' } : {})
  }
  if (resolved.kind === 'unusable')
    return failure(resolved.reason, resolved.isBlocked ? { blocked: true } : {})
  const { connector, tool, decision } = resolved
  if (credential !== undefined && credential !== resolved.credential) {
    return failureWithAdvice(
      `The address, credential or account of the connector "${connector.name}" has changed since approval was requested, so the tool "${toolName}" was not called.`,
      'Call it again to request approval.',
    )
  }
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint) {
    return failureWithAdvice(
      `The tool "${toolName}" has changed since the call was approved, so it was not called.`,
      'Call it again to review it.',
    )
  }
  // An approval of this one call stays valid. A call that needed no approval must still need none.
  if (approval !== 'once' && decision.kind !== 'run') {
    return failureWithAdvice(
      `The tool "${toolName}" now needs approval, so it was not called.`,
      'Call it again to request approval.',
    )
  }
  // After "Allow Always", the tool is on the list already, so the call is recorded as allowed by the list.
  if (decision.kind !== 'run') return { connector, tool, approval, grantId: undefined }
  const grantId = decision.by === 'granted' ? decision.grant.id : undefined
  return { connector, tool, approval: decision.by, grantId }
}

/** What grants with limits are compared with. */
function useOf({ chatId, botId, arguments: given }: ToolCallRequest): ToolUse | undefined {
  if (chatId === undefined || botId === undefined) return undefined
  return { chatId, botId, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) }
}

function toRecorded(status: ToolOutcome['status']): CallOutcome {
  // The outcome of an interrupted call is unknown, so the record keeps what was written before the call.
  if (status === 'interrupted') return 'started'
  return status === 'authorization_needed' ? 'failed' : status
}

const lostSession =
  "The server's session of this chat was lost, so this call ran in a new one: what earlier calls had opened there (pages, logins, transactions) is gone."

/**
 * A call that waits for a slot or runs. Each start and each failure waits for its own turn of the event loop, because
 * many calls can start or fail at the same moment: when slots become free, or at a common deadline.
 */
class RunningCall {
  readonly #deps: ConnectorDeps
  readonly #request: ToolCallRequest
  #callable: CallableTool
  readonly #record: StartedRecord
  #clock: CallClock | undefined
  #wasSent = false
  /** Whether the call runs in another session than the chat's last call of this connector. */
  #isNewSession = false

  constructor(deps: ConnectorDeps, request: ToolCallRequest, callable: CallableTool, record: StartedRecord) {
    this.#deps = deps
    this.#request = request
    this.#callable = callable
    this.#record = record
  }

  get #connector(): ConnectorRow {
    return this.#callable.connector
  }

  async run(): Promise<ToolOutcome> {
    const outcome = await this.#run()
    return this.#isNewSession && this.#wasSent ? addNote(outcome, lostSession) : outcome
  }

  async #run(): Promise<ToolOutcome> {
    const signal = AbortSignal.any([this.#request.signal, this.#deps.closing])
    let acquired: Acquired | undefined
    try {
      acquired = await this.#waitForSlot(signal)
      await this.#deps.shared.turns.next()
      const refusal = acquired.waited ? await this.#resolveAgain() : undefined
      if (refusal !== undefined) return refusal
      this.#deps.shared.backoff.throwIfPaused(connectionKey(this.#connector))
      return await this.#callNow(signal)
    } catch (error) {
      await this.#deps.shared.turns.next()
      return await this.#toFailedOutcome(error)
    } finally {
      this.#clock?.stop()
      acquired?.release()
    }
  }

  /**
   * Checks again after the call was queued: the connector, its tool or its allow list may have changed by now.
   * Returns the outcome of a call that may no longer run.
   */
  async #resolveAgain(): Promise<ToolOutcome | undefined> {
    const { connector, tool } = this.#callable
    const resolved = await resolveTool(this.#deps, this.#request.user, {
      connectorId: connector.id,
      connectorName: connector.name,
      toolName: tool.name,
      readBotConnectors: this.#request.readBotConnectors,
      use: useOf(this.#request),
    })
    const found = authorizeCall(resolved, { ...this.#request, fingerprint: tool.fingerprint })
    if ('status' in found) return found
    this.#callable = { ...this.#callable, ...found }
    return undefined
  }

  #waitForSlot(signal: AbortSignal): Promise<Acquired> {
    const { limits } = this.#deps.settings
    const { chatId } = this.#request
    return this.#deps.shared.callLimiter.acquire(
      [
        ...(chatId === undefined ? [] : [{ key: `chat ${this.#connector.id} ${chatId}`, maxConcurrent: 1 }]),
        { key: `connector ${this.#connector.id}`, maxConcurrent: limits.maxCallsPerConnector },
        { key: `user ${this.#request.user.id}`, maxConcurrent: limits.maxCallsPerUser },
        { key: `host ${originOf(this.#connector.url)}`, maxConcurrent: limits.maxCallsPerHost },
      ],
      signal,
    )
  }

  async #callNow(signal: AbortSignal): Promise<ToolOutcome> {
    const { limits } = this.#deps.settings
    const { time_limit } = this.#connector
    const maxCallIdleMs = time_limit === null ? limits.maxCallIdleMs : time_limit * 1_000
    const clock = new CallClock({ maxCallIdleMs, maxCallMs: limits.maxCallMs }, signal)
    this.#clock = clock
    const { chatId } = this.#request
    const onSession = async (sessionId: string): Promise<void> => {
      this.#isNewSession = await this.#record.enterSession(sessionId)
    }
    const chat = chatId === undefined ? undefined : { chatId, onSession }
    const result = await useServer(
      this.#deps,
      this.#connector,
      { signal: clock.signal, chat },
      (connection) =>
        callServerTool(
          connection,
          {
            tool: parseDefinition(this.#callable.tool.definition),
            arguments: this.#callable.arguments,
            clock,
            onSend: () => {
              this.#wasSent = true
              this.#request.onSend?.()
            },
            onProgress: (progress) => this.#request.onProgress?.(progress),
            onElicit: (params, answerSignal, isRepeated) => this.#elicit(params, answerSignal, isRepeated),
          },
          limits,
        ),
    )
    await this.#recordSuccess()
    const { isError, needsSignIn, ...read } = result
    const status = isError ? await this.#errorStatus(needsSignIn) : 'done'
    return { ...read, status, duration: clock.elapsedMs }
  }

  /** Distinguishes an error of the tool from an integration that the user has to connect first. */
  async #errorStatus(needsSignIn: boolean): Promise<ToolOutcome['status']> {
    const { builtIns } = this.#deps
    return (needsSignIn && builtIns.isInProcess(this.#connector)) ||
      (await builtIns.readIntegration(this.#connector)).state === 'missing'
      ? 'authorization_needed'
      : 'tool_error'
  }

  /** Returns undefined for an elicitation that cannot be shown. */
  async #elicit(params: unknown, signal: AbortSignal, isRepeated: boolean): Promise<SentAnswer | undefined> {
    const { maxElicitationFields } = this.#deps.settings.limits
    const elicitation = readElicitation(params, maxElicitationFields, isRepeated)
    const { onElicit } = this.#request
    if (elicitation === undefined) return undefined
    if (onElicit === undefined) return { action: 'decline' }
    try {
      const answer = await onElicit(elicitation, signal)
      const checked = checkElicitationAnswer(elicitation, answer)
      return checked === undefined ? { action: 'cancel' } : toSentAnswer(elicitation, checked)
    } catch (error) {
      this.#deps.onError(error)
      return { action: 'cancel' }
    }
  }

  async #toFailedOutcome(error: unknown): Promise<ToolOutcome> {
    const times = { duration: this.#clock?.elapsedMs ?? 0 }
    if (this.#request.signal.aborted) return stoppedCall(this.#wasSent, times)
    if (this.#deps.closing.aborted) return interruptedCall(this.#wasSent, times)
    if (this.#clock?.timedOut === true) {
      await this.#checkServer(this.#clock.wasSilent ? explainFailure(this.#clock.signal.reason) : undefined)
      if (!this.#wasSent) {
        const text = `The server of the connector "${this.#connector.name}" did not respond in time, so the tool was not called.`
        return failure(text, times)
      }
      return unknownFailure('The tool took too long.', { status: 'timed_out', ...times })
    }
    const explained = explainFailure(error, this.#connector)
    const { code, message } = explained
    if (await this.#storeMissingConsent(error)) {
      const { name, headers } = this.#connector
      const reason =
        headers === null
          ? `The connector "${name}" needs the user's authorization. Connect it`
          : `The server of the connector "${name}" refused access. Check its headers, or connect it,`
      const text = `${reason} under Settings, Connectors, then try again.${quoteRefusal(error)}`
      return failure(text, { status: 'authorization_needed', ...times })
    }
    await this.#recordFailure(error, explained)
    if (code === 'not_connected') return failure(message, { status: 'authorization_needed', ...times })
    if (this.#wasSent && isOutcomeUnknown(error)) {
      await this.#checkServer()
      return unknownFailure(describeLostResult(code, message), { status: 'interrupted', ...times })
    }
    return failureWithAdvice(`The tool failed: ${message}`, readServerError(error), times)
  }

  /** Stores that the connector works again, if it was stored as failing, and reports it. */
  async #recordSuccess(): Promise<void> {
    this.#deps.shared.backoff.reset(connectionKey(this.#connector))
    const { name, status, call_error } = this.#connector
    if (call_error === null && status !== 'failed') return
    if (call_error !== null) await this.#storeCallError(null)
    if (status === 'failed') await this.#storeState({ status: 'connected', error_message: null })
    this.#request.onStatus?.({ status: 'connected', server: name, message: 'Its tools work again.' })
  }

  /**
   * Stores and reports that the connector fails, when the failure would affect its other calls too: until the next call
   * works, or until its server can be reached again.
   */
  async #recordFailure(error: unknown, explained: AppError): Promise<void> {
    const { code, message } = explained
    if (isLastingFailure(error, explained)) {
      await this.#storeCallError(message)
    } else if (code === 'upstream_unreachable' && !(this.#wasSent && isOutcomeUnknown(error))) {
      await this.#storeState({ status: 'failed', error_message: message })
    } else {
      return
    }
    this.#request.onStatus?.({ status: 'error', server: this.#connector.name, message })
  }

  /** Waits until the state of the connector is stored. The outcome of the call stays the same when that fails. */
  #storeState(state: ConnectorState): Promise<void> {
    return changeState(this.#deps, this.#connector, state).catch(this.#deps.onError)
  }

  #storeCallError(failure: string | null): Promise<void> {
    return storeCallError(this.#deps, this.#connector, failure).catch(this.#deps.onError)
  }

  /**
   * Lists the tools in the background after a call that did not end as it should, and stores whether that works. With
   * `silence`, the connector is stored as failed until then, since nothing shows that its server still responds.
   */
  async #checkServer(silence?: AppError): Promise<void> {
    if (this.#connector.status !== 'connected') return
    if (silence !== undefined) await this.#storeState({ status: 'failed', error_message: silence.message })
    // A failure is stored in the connector's row.
    refreshTools(this.#deps, this.#connector).catch(() => undefined)
  }

  /**
   * Stores the connector as failed until the user consents, when the call failed because it needs their consent.
   * Returns false for any other failure.
   */
  async #storeMissingConsent(error: unknown): Promise<boolean> {
    if (!needsAuthorization(error) || this.#connector.token !== null) return false
    if (
      error instanceof InsufficientScopeError &&
      !(await rememberMissingScope(this.#deps, this.#connector, error))
    ) {
      return false
    }
    const { message } = explainFailure(error, this.#connector)
    await this.#storeState({ status: 'failed', error_message: message })
    return true
  }
}

/** Characters of a server's error, and of its data, that the model reads. */
const maxErrorChars = 2_000

/** Returns what the model reads of an error beyond what the user does: the whole message, the code and the data. */
function readServerError(error: unknown): string {
  const cause = listCauses(error).find((each) => each instanceof ProtocolError)
  if (cause === undefined) return ''
  const cut = (text: string): string =>
    toVisibleLine(text.slice(0, maxErrorChars * 2))
      .slice(0, maxErrorChars)
      .toWellFormed()
  const { data: sent } = cause
  // A text may be data that was written as JSON to keep its numbers.
  const data =
    typeof sent === 'string' ? sent : sent === undefined || isDeeperThan(sent, 64) ? '' : JSON.stringify(sent)
  return `[Error ${cause.code}: ${cut(cause.message)}${data === '' ? '' : ` Data: ${cut(data)}`}]`
}

/** Explains why the result of a call that was sent was lost. */
function describeLostResult(code: ErrorCode, message: string): string {
  const reasons: Partial<Record<ErrorCode, string>> = {
    output_limit: message,
    upstream_invalid: message,
    // Without the advice of `message` to try again.
    upstream_error: 'The server failed after the call was sent.',
  }
  return reasons[code] ?? 'The connection to the server broke after the call was sent.'
}

/** Not the `origin` of a URL, which is "null" for the addresses of servers in this process. */
function originOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
