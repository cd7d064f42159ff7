import type { ModelMessage, ModelToolCall } from '../../models/model.ts'

/** A message of the assistant with a text, unless it is empty, and calls. */
export function assistantMessage(text: string, calls: readonly ModelToolCall[] = []): ModelMessage {
  return {
    role: 'assistant',
    parts: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({ ...call, type: 'call' as const })),
    ],
  }
}

/** The results of the calls of one message. */
export function resultsMessage(
  ...results: readonly { readonly callId: string; readonly name: string; readonly text: string }[]
): ModelMessage {
  return { role: 'tool', parts: results.map((result) => ({ type: 'result', ...result })) }
}
