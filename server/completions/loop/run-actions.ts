import { isDeepStrictEqual } from 'node:util'
import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { countChars, textOfContent } from '@yonder/contract/message-text'
import { LeftOutTools } from '@yonder/contract/tool-call'
import { readBotConnectors } from '../../bots/bot-connectors.ts'
import { connectorIdsOf } from '../../bots/bot-fields.ts'
import { apiTypeOf } from '../../bots/bot-model.ts'
import { fullChatMessage, selectLeaf, touchChat } from '../../chats/chat-store.ts'
import {
  appendMessage,
  requireParent,
  listNotices,
  updateMessage,
  toFilledReply,
  type PathMessage,
} from '../../chats/message-store.ts'
import type { BatchCall, RemainingCalls } from '../../chats/tool-call-store.ts'
import { failure } from '../../connectors/calls/tool-call.ts'
import type { ModelTools } from '../../connectors/tools/offer-tools.ts'
import type { BotRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { onAbort } from '../../lib/abort.ts'
import { newId } from '../../lib/new-id.ts'
import type { CollectedReply } from '../../models/collect-reply.ts'
import type { ModelOptions, ModelStream } from '../../models/model.ts'
import { optionLabels } from '../../models/refusal.ts'
import { CallMeter, type MeteredCall } from '../../usage/call-meter.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { PendingElicitations } from '../log/active-runs.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import { readPromptSource, type PromptSource } from '../prompt/fit-prompt.ts'
import { requestSettings, type RequestSettings } from '../prompt/model-request.ts'
import { recordPrompt, type PromptRecord } from '../prompt/sent-prompt.ts'
import type { WrittenRun, RunActions, ToolInvocation, RunEnding } from '../run.ts'
import { runCall } from '../tools/run-call.ts'
import { decideCall } from '../tools/tool-invocation.ts'
import { storeResult, createResult } from '../tools/tool-result.ts'
import { failed } from './call-model.ts'
import { callWithPrompt, type PromptCallResult } from './call-with-prompt.ts'
import { omitRefusedOptions } from './option-support.ts'

export interface RunFrame {
  readonly run: WrittenRun
  readonly user: User
  readonly bot: BotRow
  /** The time zone of the user's browser, as an IANA name. */
  readonly timeZone: string
  readonly recorder: RunRecorder
  readonly elicitations: PendingElicitations
  readonly signal: AbortSignal
}

export type ActionDeps = Pick<
  CompletionDeps,
  | 'database'
  | 'now'
  | 'openBotModel'
  | 'findModelFacts'
  | 'toolSupport'
  | 'optionSupport'
  | 'contextWindows'
  | 'compactAt'
  | 'connectors'
  | 'onError'
>

/** Characters of all messages of a run, which are in memory until it ends. */
const maxRunChars = 5_000_000

const tooLong = failed(
  'output_limit',
  `These replies and tool results have reached the limit of ${maxRunChars.toLocaleString('en')} characters. Send a message to continue.`,
)

/** The effects of a run's loop: calls the model and the tools, and adds their events to the recorder. */
export class RecordedActions implements RunActions {
  readonly #deps: ActionDeps
  readonly #frame: RunFrame
  readonly #model: ModelStream
  readonly #settings: RequestSettings
  readonly #chatId: string
  /** The parent of the open reply or, after a call, of the next one: a user message or a tool's result. */
  #parentId: string
  /** The open reply. */
  #replyId: string
  #latestTime: number
  /** The options that the model was called without. */
  readonly #omittedOptions = new Set<keyof ModelOptions>()
  /** Whether a summary of older messages failed in this run. Then no other one is tried. */
  #hasSummaryFailed = false
  /** Whether the stream contains a round of connection statuses. */
  #hasReportedStatuses = false

  constructor(deps: ActionDeps, frame: RunFrame) {
    const { chatId, started, latestTime } = frame.run
    this.#deps = deps
    this.#frame = frame
    this.#model = omitRefusedOptions(deps.openBotModel(frame.user, frame.bot), {
      listRefused: () => deps.optionSupport.refusedBy(frame.bot),
      addRefusal: (option) => deps.optionSupport.addRefusal(frame.bot, option),
      onOmitted: (option) => this.#omittedOptions.add(option),
    })
    this.#settings = requestSettings(frame.bot, {
      name: frame.user.name,
      timeZone: frame.timeZone,
      now: deps.now(),
    })
    this.#chatId = chatId
    this.#parentId = started.user_message.id
    this.#replyId = started.assistant_message.id
    this.#latestTime = latestTime
  }

  findLimitEnding(): RunEnding | undefined {
    const { recorder, run } = this.#frame
    if (run.isChatFull) return failed('output_limit', fullChatMessage)
    const chars = recorder.state.messages.reduce((sum, message) => sum + countChars(message), 0)
    return chars > maxRunChars ? tooLong : undefined
  }

  async callModel(): Promise<{ ending: RunEnding; calls: readonly BatchCall[] }> {
    const { database, toolSupport } = this.#deps
    const { bot, signal } = this.#frame
    const [path, offered] = await Promise.all([
      readPromptSource(database.db, this.#chatId, this.#parentId),
      unlessAborted(this.#listTools(), signal, noTools),
    ])
    const refusedBefore = toolSupport.refuses(bot)
    const start = { ...path, summaryFailed: this.#hasSummaryFailed }
    let { result, source } = await this.#callWith(start, refusedBefore ? [] : offered.tools)
    if (result.ending.error?.code === 'tool_unavailable' && !refusedBefore) {
      toolSupport.addRefusal(bot)
      ;({ result, source } = await this.#callWith(source, []))
    }
    this.#hasSummaryFailed = source.summaryFailed === true
    const omitsTools = toolSupport.refuses(bot)
    if (!omitsTools) this.#addLeftOut(source.path, offered.leftOut)
    await this.#addNotice(omitsTools && offered.tools.length > 0)
    return {
      ending: result.ending,
      calls: result.calls.map((call) => {
        const target = offered.resolve(call.name)
        return { ...call, ...(target === undefined ? {} : { target }) }
      }),
    }
  }

  async dispatch({ calls, total }: RemainingCalls): Promise<ToolInvocation | undefined> {
    const { recorder, user, signal } = this.#frame
    const [call, ...rest] = calls
    if (call === undefined) throw new Error('there is no call to dispatch')
    const replyId = this.#replyId
    const remaining = { calls: rest, total }
    const { shown, connectorId, stored, invocation } = await decideCall(this.#deps, user, {
      replyId,
      call,
      remaining,
      readBotConnectors: this.#readBotConnectors,
      signal,
    })
    // `plainContent` is read from the committed state, so the text of the reply is committed first.
    await recorder.flush()
    const event: UnnumberedEvent = {
      type: 'tool_call',
      message_id: replyId,
      server: shown.server,
      tool: shown.tool,
      arguments: call.arguments,
      plainContent: textOfContent(recorder.state.messages.at(-1)?.content ?? ''),
      call: shown.call,
    }
    recorder.add(event, async (trx, state) => {
      const reply = state.messages.find(({ id }) => id === replyId)
      if (reply === undefined) throw new Error(`the run has no reply ${replyId}`)
      await touchChat(trx, this.#chatId, this.#deps.now(), countChars(reply))
      await updateMessage(trx, this.#chatId, replyId, {
        ...toFilledReply(reply),
        connector_id: connectorId,
        call_state: shown.call.state,
        call: JSON.stringify(stored),
      })
    })
    // A call is stored as running before it is made, so that it is never made twice.
    if (invocation !== undefined) await recorder.flush()
    return invocation
  }

  async invoke(invocation: ToolInvocation): Promise<void> {
    const { recorder, user, signal, elicitations } = this.#frame
    const outcome = await runCall(this.#deps, invocation, {
      user,
      readBotConnectors: this.#readBotConnectors,
      signal,
      elicitations,
      onEvent: (event) => recorder.add(event),
    }).catch((error: unknown) => {
      this.#deps.onError(error)
      return failure(defectiveCall)
    })
    const result = createResult(invocation, outcome, this.#nextTime())
    const { message } = result
    recorder.add({ type: 'tool_result', role: 'user', content: message.content, message }, (trx) =>
      storeResult(trx, this.#chatId, result),
    )
    this.#parentId = message.id
  }

  async openReply(): Promise<void> {
    const { recorder, bot } = this.#frame
    const time = this.#nextTime()
    const parentId = this.#parentId
    const id = newId()
    const empty = {
      role: 'assistant',
      content: '',
      status: 'streaming',
      model: bot.model,
      bot: bot.name,
    } as const
    const reply: Message = {
      id,
      parent_id: parentId,
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      ...empty,
    }
    this.#replyId = id
    recorder.add({ type: 'reply', assistant_message: reply }, async (trx) => {
      const parent = await requireParent(trx, this.#chatId, parentId)
      await appendMessage(trx, { chat_id: this.#chatId, id, bot_id: bot.id, ...empty }, parent, time)
      await selectLeaf(trx, this.#chatId, id)
    })
    // The next prompt is read from the database, so the result before this reply must be committed.
    await recorder.flush()
  }

  /** Reads the bot's connectors each time, since the user may change the bot during the run. */
  readonly #readBotConnectors = () => readBotConnectors(this.#deps.database.db, this.#frame.bot)

  #listTools(): Promise<ModelTools> {
    const { user, bot, recorder, signal } = this.#frame
    const { toolSupport } = this.#deps
    const hasReportedStatuses = this.#hasReportedStatuses
    this.#hasReportedStatuses = true
    return this.#deps.connectors.listModelTools({
      user,
      apiType: apiTypeOf(bot),
      // The first time, the bot was read just before.
      readBotConnectors: hasReportedStatuses
        ? this.#readBotConnectors
        : () => Promise.resolve(connectorIdsOf(bot)),
      signal,
      reportsStored: !hasReportedStatuses && !toolSupport.refuses(bot),
      onStatus: (status) => {
        // No status is shown after an abort, and a slow server may respond after the end of the run.
        if (!signal.aborted && recorder.isRunning && !recorder.isEnding)
          recorder.add({ type: 'mcp_status', ...status })
      },
    })
  }

  #callWith(source: PromptSource, tools: ModelTools['tools']): Promise<PromptCallResult> {
    const { bot, recorder, signal } = this.#frame
    const request = { ...this.#settings, tools }
    const call = {
      request,
      bot,
      recorder,
      onPrompt: (sent: PromptSource) => this.#recordPrompt(request, sent),
      openMeter: () => this.#openMeter('reply'),
      frame: {
        chatId: this.#chatId,
        bot,
        model: this.#model,
        recorder,
        signal,
        startCall: () => {
          const meter = this.#openMeter('summary')
          return (reply: CollectedReply) => meter.createReplyWrite(reply)
        },
      },
    }
    return callWithPrompt(this.#deps, call, source)
  }

  /** Stores what the model is given, with a later commit of the run (`attach`), so the first text does not wait. */
  #recordPrompt(request: PromptRecord['request'], source: PromptSource): void {
    const place = { user: this.#frame.user, chatId: this.#chatId, messageId: this.#replyId }
    const now = this.#deps.now()
    this.#frame.recorder.attach((trx) => recordPrompt(trx, { ...place, request, source, now }))
  }

  #openMeter(kind: MeteredCall['kind']): CallMeter {
    const { user, bot } = this.#frame
    const call = { userId: user.id, bot, chatId: this.#chatId, messageId: this.#replyId, kind }
    return new CallMeter(this.#deps, call)
  }

  /** Adds a notice of what the model was called without, once per bot and chat. */
  async #addNotice(omitsTools: boolean): Promise<void> {
    const { bot, recorder } = this.#frame
    const notices = [
      ...(omitsTools
        ? [`The model ${bot.model} does not support tools, so it was called without them.`]
        : []),
      ...Array.from(
        this.#omittedOptions,
        (option) =>
          `The model ${bot.model} does not support ${optionLabels[option]}, so it was called without it.`,
      ),
    ]
    if (notices.length === 0) return
    const before = await listNotices(this.#deps.database.db, this.#chatId, bot.id)
    const added = notices.filter((notice) => !before.some((text) => text.includes(notice)))
    if (added.length > 0) recorder.add({ type: 'notice', notice: added.join(' ') })
  }

  /** Adds which tools the request left out, unless the path says the same already. */
  #addLeftOut(path: readonly PathMessage[], leftOut: LeftOutTools): void {
    // After an abort, the tools may be unknown.
    if (this.#frame.signal.aborted) return
    const stored = path.findLast(({ left_out_tools }) => left_out_tools !== null)?.left_out_tools
    const before = stored ? LeftOutTools.parse(JSON.parse(stored)) : noTools.leftOut
    if (isDeepStrictEqual(withoutNames(before), withoutNames(leftOut))) return
    this.#frame.recorder.add({ type: 'left_out_tools', left_out_tools: leftOut })
  }

  /** Returns a time later than every message of the chat. Only the run adds messages while it is active. */
  #nextTime(): number {
    this.#latestTime = Math.max(this.#deps.now(), this.#latestTime + 1)
    return this.#latestTime
  }
}

/** A renamed connector is still the same. */
function withoutNames({ connectors, ...rest }: LeftOutTools) {
  return { ...rest, connectors: connectors.map(({ server: _, ...connector }) => connector) }
}

/** The outcome of a call after an unexpected error in Yonder, maybe after the tool had finished. */
const defectiveCall = 'The call failed because of an error in Yonder. The tool may or may not have finished.'

const noTools: ModelTools = {
  tools: [],
  notices: [],
  leftOut: { connectors: [] },
  resolve: () => undefined,
  find: () => undefined,
}

/** Resolves like `work`, or with `fallback` as soon as `signal` is aborted. */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  fallback: Result,
): Promise<Result> {
  let removeAbort = (): void => undefined
  const aborted = new Promise<Result>((resolve) => {
    removeAbort = onAbort(signal, () => resolve(fallback))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    removeAbort()
  }
}
