import type { BotRow } from '../../db/tables/tables.ts'
import { callsOf, textsOf, type ModelRequest } from '../../models/model.ts'
import type { CallMeter } from '../../usage/call-meter.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import { buildPrompt } from '../prompt/build-prompt.ts'
import { estimateTokens, tokensPerMessage } from '../prompt/estimate-tokens.ts'
import { budgetOf, fitPrompt, type PromptSource, type SummaryFrame } from '../prompt/fit-prompt.ts'
import { abortedEnding, callModel, type ModelCallResult } from './call-model.ts'

/** How often a prompt is shortened at most, each time after the provider has said that it is too long. */
const maxShortenings = 3
/** The context window that is assumed after a refusal that does not name it, as a share of the refused prompt. */
const assumedWindowShare = 0.8

export interface PromptCall {
  /** The request without its messages. */
  readonly request: Omit<ModelRequest, 'messages'>
  readonly bot: BotRow
  readonly frame: SummaryFrame
  readonly openMeter: () => CallMeter
  readonly recorder: RunRecorder
  /** Called before each attempt with what its messages are built from. */
  readonly onPrompt: (source: PromptSource) => void
}

/** The outcome of a call, and what its prompt was built from. */
export interface PromptCallResult {
  readonly result: ModelCallResult
  readonly source: PromptSource
}

/**
 * Calls the model with the messages of a path. When they exceed the budget, older ones are summarised first; when the provider says that the prompt is too long, it is shortened and sent again.
 */
export async function callWithPrompt(
  { contextWindows, compactAt, now }: Pick<CompletionDeps, 'contextWindows' | 'compactAt' | 'now'>,
  { request, bot, frame, recorder, openMeter, onPrompt }: PromptCall,
  path: PromptSource,
): Promise<PromptCallResult> {
  const { signal } = frame
  let source = path
  let refused: ModelCallResult | undefined
  /** The context window for the rest of this call, after a refusal that does not name it. */
  let assumed: number | undefined
  for (let attempt = 0; ; attempt++) {
    const known = await contextWindows.find(bot)
    const window = assumed === undefined ? known : Math.min(assumed, known ?? Infinity)
    const budget = budgetOf(window, compactAt, request)
    const before = source
    source = await fitPrompt(frame, before, budget, now)
    if (signal.aborted) return { result: { ending: abortedEnding(signal), calls: [] }, source }
    if (refused !== undefined && isSamePrompt(before, source)) return { result: refused, source }
    const messages = buildPrompt(source.path, { ...source, hasTools: request.tools.length > 0 })
    onPrompt(source)
    const meter = openMeter()
    const result = await callModel({
      model: frame.model,
      request: { ...request, messages },
      signal,
      recorder,
      meter,
    })
    const unreported = meter.createUnreportedWrite()
    if (unreported !== undefined) recorder.attach(unreported)
    if (result.failure?.code !== 'context_exceeded' || attempt === maxShortenings) return { result, source }
    refused = result
    const { contextWindow } = result.failure
    // Only what the provider says is remembered. A guess is for this call alone.
    if (contextWindow !== undefined) contextWindows.learn(bot, contextWindow)
    else assumed = Math.floor(estimateRequest({ ...request, messages }) * assumedWindowShare)
  }
}

function isSamePrompt(before: PromptSource, after: PromptSource): boolean {
  return (
    before.summary?.id === after.summary?.id &&
    before.path.length === after.path.length &&
    before.shortenBefore === after.shortenBefore
  )
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
