import { applyEvent } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'

const eventTypes: Readonly<Record<RunEvent['type'], true>> = {
  started: true,
  model: true,
  text: true,
  reasoning: true,
  usage: true,
  tool_call: true,
  tool_progress: true,
  tool_question: true,
  tool_result: true,
  reply: true,
  notice: true,
  mcp_status: true,
  error: true,
  ended: true,
}

/** The run after an event. Of a kind that only newer pages know, the number alone counts, so that none is missing. */
export function advanceRun(run: RunState, event: RunEvent): RunState {
  if (Object.hasOwn(eventTypes, event.type)) return applyEvent(run, event)
  return event.seq > run.seq ? { ...run, seq: event.seq } : run
}
