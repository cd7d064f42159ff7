import type { BotTestResult } from '@yonder/contract/bot'
import { modelLimits, type ModelLimits } from '../../models/adapter.ts'
import { collectReply } from '../../models/collect-reply.ts'
import {
  userMessage,
  type ModelPart,
  type ModelRequest,
  type ModelStream,
  type ModelTool,
} from '../../models/model.ts'

/**
 * A call is attempted once, and is shorter than a reply in a chat. A local model may be loaded first, which takes a
 * while.
 */
export const testLimits: ModelLimits = {
  ...modelLimits,
  firstByteTimeoutMs: 30_000,
  idleTimeoutMs: 20_000,
  totalTimeoutMs: 45_000,
  maxOutputChars: 20_000,
  maxAttempts: 1,
}

/** Does nothing, and is offered only to see whether the model accepts tools. */
const trivialTool: ModelTool = {
  name: 'report_ready',
  description: 'Reports that you are ready.',
  inputSchema: { type: 'object', properties: {} },
}

/**
 * Sends a model the smallest prompt, with one tool, and describes in a sentence what works or what is wrong. Never
 * rejects. `now` returns milliseconds since 1970.
 */
export async function testModel(
  stream: ModelStream,
  model: string,
  now: () => number,
  signal: AbortSignal,
): Promise<BotTestResult> {
  const withTools = await callModel(stream, model, [trivialTool], now, signal)
  const refusesTools = withTools.failure?.code === 'tool_unavailable'
  const outcome = refusesTools ? await callModel(stream, model, [], now, signal) : withTools
  const { failure } = outcome
  if (failure !== undefined) return { works: false, message: failure.message, code: failure.code }
  return { works: true, message: describeSuccess(outcome, !refusesTools) }
}

/** Tests the model that writes titles in the same way, but without a tool. */
export async function testTitleModel(
  stream: ModelStream,
  model: string,
  now: () => number,
  signal: AbortSignal,
): Promise<BotTestResult> {
  const { failure } = await callModel(stream, model, [], now, signal)
  if (failure === undefined) return { works: true, message: 'The title model replied, too.' }
  return { works: false, message: `But the title model failed: ${failure.message}`, code: failure.code }
}

type Failure = Pick<Extract<ModelPart, { type: 'failed' }>, 'code' | 'message'>

interface CallOutcome {
  readonly failure?: Failure | undefined
  /** Until the end of the reply. */
  readonly durationMs: number
  readonly isStreamed: boolean
}

async function callModel(
  stream: ModelStream,
  model: string,
  tools: readonly ModelTool[],
  now: () => number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const request: ModelRequest = {
    model,
    messages: [userMessage('Reply with OK.')],
    tools,
    maxTokens: null,
  }
  const start = now()
  let isStreamed = true
  const reply = await collectReply(stream, request, signal, () => (isStreamed = false))
  let failure: Failure | undefined = reply.failure
  // A model that writes too much has replied.
  if (failure?.code === 'output_limit' && reply.hasContent) failure = undefined
  else if (failure === undefined && !reply.hasContent) failure = emptyReply
  return { failure, durationMs: now() - start, isStreamed }
}

const emptyReply: Failure = {
  code: 'upstream_invalid',
  message: 'The model returned an empty reply. Test it again, or choose another model.',
}

function describeSuccess({ durationMs, isStreamed }: CallOutcome, acceptsTools: boolean): string {
  const replied = `The model replied in ${(durationMs / 1000).toFixed(1)} s`
  const lacks = [
    ...(isStreamed ? [] : ['sends its replies in one piece instead of streaming them']),
    ...(acceptsTools ? [] : ['does not support tools, so this bot cannot use connectors']),
  ]
  if (lacks.length === 2) return `${replied}, but ${lacks.join(', and ')}.`
  if (!isStreamed) return `${replied} and accepts tools, but ${lacks[0]}.`
  return acceptsTools
    ? `${replied}, streams its replies and accepts tools.`
    : `${replied} and streams its replies, but ${lacks[0]}.`
}
