import type { CompletionEvent, RunEvent } from '@yonder/contract/completion'

const eventTypes: Readonly<Record<RunEvent['type'], true>> = {
  started: true,
  model: true,
  text: true,
  reasoning: true,
  usage: true,
  tool_call: true,
  tool_result: true,
  mcp_status: true,
  error: true,
  ended: true,
}

/** An event of the log; nothing for a heartbeat and for kinds that a newer server may send. */
export function parseRunEvent(data: string): RunEvent | undefined {
  const event = JSON.parse(data) as CompletionEvent
  return event.type !== 'heartbeat' && Object.hasOwn(eventTypes, event.type) ? event : undefined
}
