import { isDeepStrictEqual } from 'node:util'
import { reasoningEfforts } from '@yonder/contract/bot'
import { LeftOutTools } from '@yonder/contract/tool-call'
import { connectorIdsOf, readBotConnectors } from '../../bots/bot-fields.ts'
import { apiTypeOf } from '../../bots/bot-model.ts'
import { listNotices, type PathMessage } from '../../chats/message-store.ts'
import type { BatchCall } from '../../chats/tool-call-store.ts'
import type { ModelTools } from '../../connectors/tools/offer-tools.ts'
import type { BotRow } from '../../db/tables/tables.ts'
import { unlessAborted } from '../../lib/abort.ts'
import { estimateTokens, tokensPerMessage } from '../../lib/estimate-tokens.ts'
import type { CollectedReply } from '../../models/collect-reply.ts'
import {
  callsOf,
  textsOf,
  type ModelOptions,
  type ModelRequest,
  type ModelStream,
} from '../../models/model.ts'
import { CallMeter, type MeteredCall } from '../../usage/call-meter.ts'
import type { CompletionDeps, RunFrame } from '../completion-deps.ts'
import { buildPrompt } from '../prompt/build-prompt.ts'
import {
  countForms,
  hasFiles,
  listCut,
  listRefusedNames,
  planForms,
  readForms,
} from '../prompt/file-forms.ts'
import { joinInstructions, type InstructionsContext } from '../prompt/fill-instructions.ts'
import {
  budgetOf,
  fitPrompt,
  readPromptSource,
  type PromptSource,
  type SummaryFrame,
} from '../prompt/fit-prompt.ts'
import { recordPrompt } from '../prompt/sent-prompt.ts'
import type { RunEnding } from '../run.ts'
import { abortedEnding, callModel, type ModelCallResult } from './call-model.ts'

/** How often a prompt is shortened at most, each time after the provider has said that it is too long. */
const maxShortenings = 3
/** The context window that is assumed after a refusal that does not name it, as a share of the refused prompt. */
const assumedWindowShare = 0.8

export type CallerDeps = Omit<
  CompletionDeps,
  'nodeId' | 'runs' | 'log' | 'notifications' | 'titles' | 'onError'
>

/** The outcome of a call, and what its prompt was built from. */
interface CallResult {
  readonly result: ModelCallResult
  readonly source: PromptSource
  /** The path as its files were first planned, before the provider said that the prompt was too long. */
  readonly planned: PromptSource['path']
}

/** Calls the model of a run for its replies, with the tools that it may use and as much of the path as it can read. */
export class ModelCaller {
  readonly #deps: CallerDeps
  readonly #frame: RunFrame
  readonly #model: ModelStream
  readonly #settings: RequestSettings
  /** Whether a summary of older messages failed in this run. Then no other one is tried. */
  #hasSummaryFailed = false
  /** Whether the stream contains a round of connection statuses. */
  #hasReportedStatuses = false

  constructor(deps: CallerDeps, frame: RunFrame) {
    const { user, bot, run, timeZone } = frame
    this.#deps = deps
    this.#frame = frame
    this.#model = deps.openBotModel(bot)
    this.#settings = requestSettings(bot, run.projectInstructions, {
      name: user.name,
      timeZone,
      now: deps.now(),
    })
  }

  /** Calls the model for the reply `replyId` to the message `parentId`. */
  async call(parentId: string, replyId: string): Promise<{ ending: RunEnding; calls: readonly BatchCall[] }> {
    const { database, toolSupport } = this.#deps
    const { bot, run, signal } = this.#frame
    const [path, offered] = await Promise.all([
      readPromptSource(database.db, run.chatId, parentId),
      unlessAborted(this.#listTools(), signal, () => noTools),
    ])
    const start = { ...path, summaryFailed: this.#hasSummaryFailed }
    const { result, source, planned } = await this.#callUntilAccepted(start, offered.tools, replyId)
    const notices: string[] = []
    const cut = listCut(planned, source.path)
    if (cut.length > 0)
      notices.push(`The prompt was too long for ${bot.model}, so it was given only ${cut.join(', ')}.`)
    this.#hasSummaryFailed = source.summaryFailed === true
    const omitsTools = toolSupport.refuses(bot)
    if (!omitsTools) this.#addLeftOut(source.path, offered.leftOut)
    const refused = listRefusedNames(source.path).map((name) => `“${name}”`)
    if (refused.length > 0)
      notices.push(`The provider has refused ${refused.join(', ')}, so the model was given only the name.`)
    await this.#addNotice(omitsTools && offered.tools.length > 0, result.omittedOptions, notices)
    return {
      ending: result.ending,
      calls: result.calls.map((call) => {
        const target = offered.resolve(call.name)
        return { ...call, ...(target === undefined ? {} : { target }) }
      }),
    }
  }

  /**
   * Calls the model with the messages of a path. When they exceed the budget, older ones are summarised first; when the
   * provider says that the prompt is too long, it is shortened and sent again. A model that refuses tools is called
   * again without them.
   */
  async #callUntilAccepted(
    path: PromptSource,
    offered: ModelTools['tools'],
    replyId: string,
  ): Promise<CallResult> {
    const { contextWindows, compactAt, now, toolSupport } = this.#deps
    const { bot, signal } = this.#frame
    const frame = this.#openSummaryFrame(replyId)
    let source = path
    let planned: PromptSource['path'] | undefined
    let shortenings = 0
    let refused: ModelCallResult | undefined
    /** The context window for the rest of this call, after a refusal that does not name it. */
    let assumed: number | undefined
    for (;;) {
      const request = { ...this.#settings, tools: toolSupport.refuses(bot) ? [] : offered }
      const known = await contextWindows.find(bot)
      const window = assumed === undefined ? known : Math.min(assumed, known ?? Infinity)
      const before = source
      if (hasFiles(source.path)) source = { ...source, path: await this.#planForms(source.path, window) }
      planned ??= source.path
      source = await fitPrompt(frame, source, budgetOf(window, compactAt, request), now)
      if (signal.aborted)
        return { result: { ending: abortedEnding(signal), calls: [], omittedOptions: [] }, source, planned }
      if (refused !== undefined && isSamePrompt(before, source)) return { result: refused, source, planned }
      const path = await readForms(this.#deps.database, source.path)
      const messages = buildPrompt(path, { ...source, hasTools: request.tools.length > 0 })
      this.#recordPrompt(replyId, request, source)
      const result = await this.#callOnce({ ...request, messages }, replyId)
      const { failure } = result
      if (failure?.code === 'tool_unavailable' && request.tools.length > 0) {
        toolSupport.addRefusal(bot)
        refused = undefined
      } else if (failure?.code === 'context_exceeded' && shortenings++ < maxShortenings) {
        refused = result
        // Only what the provider says is remembered. A guess is for this call alone.
        if (failure.contextWindow !== undefined) contextWindows.learn(bot, failure.contextWindow)
        else assumed = Math.floor(estimateRequest({ ...request, messages }) * assumedWindowShare)
      } else return { result, source, planned }
    }
  }

  async #planForms(path: PromptSource['path'], window: number | undefined): Promise<PromptSource['path']> {
    const { database, findTaker } = this.#deps
    const { user, run, bot } = this.#frame
    const taker = { ...(await findTaker(bot)), contextWindow: window }
    return planForms(database.db, user, run.chatId, path, taker)
  }

  async #callOnce(request: ModelRequest, replyId: string): Promise<ModelCallResult> {
    const { recorder, signal } = this.#frame
    const meter = this.#openMeter('reply', replyId)
    const result = await callModel({ model: this.#model, request, signal, recorder, meter })
    const unreported = meter.createUnreportedWrite()
    if (unreported !== undefined) recorder.attach(unreported)
    return result
  }

  #openSummaryFrame(replyId: string): SummaryFrame {
    const { run, bot, recorder, signal } = this.#frame
    const startCall = () => {
      const meter = this.#openMeter('summary', replyId)
      return (reply: CollectedReply) => meter.createReplyWrite(reply)
    }
    return { chatId: run.chatId, bot, model: this.#model, recorder, signal, startCall }
  }

  #openMeter(kind: MeteredCall['kind'], messageId: string): CallMeter {
    const { user, bot, run } = this.#frame
    return new CallMeter(this.#deps, { userId: user.id, bot, chatId: run.chatId, messageId, kind })
  }

  /** Stores what the model is given, with a later commit of the run (`attach`), so the first text does not wait. */
  #recordPrompt(messageId: string, request: Omit<ModelRequest, 'messages'>, source: PromptSource): void {
    const { user, run, recorder } = this.#frame
    const record = { user, chatId: run.chatId, messageId, request, source, now: this.#deps.now() }
    recorder.attach((trx) => recordPrompt(trx, record))
  }

  #listTools(): Promise<ModelTools> {
    const { user, bot, recorder, signal } = this.#frame
    const { database, toolSupport, connectors } = this.#deps
    const hasReportedStatuses = this.#hasReportedStatuses
    this.#hasReportedStatuses = true
    return connectors.listModelTools({
      user,
      apiType: apiTypeOf(bot),
      // The first time, the bot was read just before.
      readBotConnectors: () =>
        hasReportedStatuses ? readBotConnectors(database.db, bot) : Promise.resolve(connectorIdsOf(bot)),
      signal,
      reportsStored: !hasReportedStatuses && !toolSupport.refuses(bot),
      onStatus: (status) => {
        // No status is shown after an abort, and a slow server may respond after the end of the run.
        if (!signal.aborted && recorder.isRunning && !recorder.isEnding)
          recorder.add({ type: 'mcp_status', ...status })
      },
    })
  }

  /** Adds a notice of what the model was called without, once per bot and chat. */
  async #addNotice(
    omitsTools: boolean,
    omittedOptions: readonly (keyof ModelOptions)[],
    aboutFiles: readonly string[],
  ): Promise<void> {
    const { bot, run, recorder } = this.#frame
    const notices = [
      ...omittedOptions.map(
        (option) =>
          `The model ${bot.model} does not support ${optionLabels[option]}, so it was called without it.`,
      ),
      ...aboutFiles,
    ]
    if (omitsTools)
      notices.unshift(`The model ${bot.model} does not support tools, so it was called without them.`)
    if (notices.length === 0) return
    const before = await listNotices(this.#deps.database.db, run.chatId, bot.id)
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
}

/** The names of the options in notices. */
const optionLabels: Readonly<Record<keyof ModelOptions, string>> = {
  temperature: 'temperature',
  topP: 'top-p',
  reasoningEffort: 'reasoning effort',
}

/** A renamed connector is still the same. */
function withoutNames({ connectors, ...rest }: LeftOutTools) {
  return { ...rest, connectors: connectors.map(({ server: _, ...connector }) => connector) }
}

const noTools: ModelTools = {
  tools: [],
  notices: [],
  leftOut: { connectors: [] },
  resolve: () => undefined,
  find: () => undefined,
}

/** What every request of a run to the model contains besides messages and tools. */
type RequestSettings = Omit<ModelRequest, 'messages' | 'tools'>

type BotSettings = Pick<
  BotRow,
  'model' | 'max_tokens' | 'instructions' | 'temperature' | 'top_p' | 'reasoning_effort'
>

/**
 * Reads the settings of a bot once for a run, so that all its requests begin with the same instructions: those of the
 * chat's project, and of the bot.
 */
export function requestSettings(
  bot: BotSettings,
  projectInstructions: string | null,
  context: InstructionsContext,
): RequestSettings {
  const { temperature, top_p } = bot
  const reasoningEffort = reasoningEfforts.find((effort) => effort === bot.reasoning_effort)
  // What is not set is not sent, so that the provider's default applies.
  const options: ModelOptions = {
    ...(temperature !== null && { temperature }),
    ...(top_p !== null && { topP: top_p }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  }
  const instructions = joinInstructions(projectInstructions, bot.instructions, context)
  return {
    model: bot.model,
    maxTokens: bot.max_tokens,
    ...(instructions !== undefined && { instructions }),
    ...(Object.keys(options).length > 0 && { options }),
  }
}

function isSamePrompt(before: PromptSource, after: PromptSource): boolean {
  return (
    before.summary?.id === after.summary?.id &&
    before.path.length === after.path.length &&
    countAllForms(before) === countAllForms(after) &&
    before.shortenBefore === after.shortenBefore
  )
}

function countAllForms({ path }: PromptSource): number {
  return path.reduce((sum, message) => sum + countForms(message), 0)
}

function estimateRequest({ instructions = '', tools, messages }: ModelRequest): number {
  const calls = messages.flatMap(callsOf)
  const texts = [
    ...messages.flatMap(textsOf),
    ...calls.map(({ arguments: text }) => text),
    instructions,
    tools.length === 0 ? '' : JSON.stringify(tools),
  ]
  return texts.reduce((sum, text) => sum + estimateTokens(text), messages.length * tokensPerMessage)
}
