import { setTimeout as wait } from 'node:timers/promises'
import { textOf, type ModelPart, type ModelRequest, type ModelStream } from '../model.ts'
import { planDemoReply, type DemoMessage, type DemoReply } from './plan-demo-reply.ts'

/** The name of the built-in demo model. */
export const demoModelName = 'demo'

/**
 * Creates the built-in demo model, which replies without a provider, so that an installation without a key can be tried.
 * `paceMs` are the milliseconds between two chunks of about a word; the default looks like a fast model.
 */
export function createDemoModel(paceMs = 12): ModelStream {
  return (request, { signal, onReadable }) => {
    const waiting: ModelPart[] = []
    async function reply(): Promise<void> {
      for await (const part of writeReply(request, paceMs)) {
        if (signal.aborted) return
        waiting.push(part)
        onReadable(false)
      }
    }
    return { drain: () => (signal.aborted ? [] : waiting.splice(0)), closed: reply() }
  }
}

async function* writeReply(request: ModelRequest, paceMs: number): AsyncGenerator<ModelPart, void> {
  // The caller has the reply before its first part.
  await wait(0)
  const messages = listMessages(request)
  const reply = planDemoReply(messages, request.tools)
  if (reply.kind === 'failure') {
    const message = `The model provider returned an error (500): ${reply.message} Try again in a moment.`
    return yield { type: 'failed', code: 'upstream_error', message }
  }
  yield { type: 'model', model: demoModelName }
  let remaining = request.maxTokens ?? Infinity
  for (const type of ['reasoning', 'text'] as const) {
    for (const text of splitWords(reply[type])) {
      if (remaining-- <= 0) break
      yield { type, text }
      await wait(paceMs * reply.slowdown)
    }
  }
  // `remaining` is negative only when a chunk was omitted.
  if (remaining >= 0 && reply.call !== null) yield { type: 'tool_call', ...reply.call }
  yield { type: 'usage', ...countUsage(messages, reply) }
  yield { type: 'finish', reason: remaining < 0 ? 'length' : reply.call === null ? 'stop' : 'tool_calls' }
}

/** The conversation as texts, with the instructions first. */
function listMessages({ instructions, messages }: ModelRequest): readonly DemoMessage[] {
  const conversation = messages.flatMap((message): DemoMessage[] =>
    message.role === 'tool'
      ? message.parts.map(({ text }) => ({ role: 'tool', content: text }))
      : [{ role: message.role, content: textOf(message) }],
  )
  return instructions === undefined
    ? conversation
    : [{ role: 'system', content: instructions }, ...conversation]
}

/** Chunks of about a word with the space before it, as models send them. No character is split. */
function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}|\s+$/gu) ?? []
}

/** An estimate: a token has about four characters on average. */
function countUsage(messages: readonly DemoMessage[], { reasoning, text }: DemoReply) {
  const count = ({ length }: string) => Math.ceil(length / 4)
  return {
    input_tokens: messages.reduce((sum, { content }) => sum + count(content), 0),
    output_tokens: count(reasoning + text),
  }
}
