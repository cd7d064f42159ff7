import type { JsonObject } from '../../lib/json-object.ts'

/**
 * Creates a collector of the fields that some servers expect back with a turn when its tool results are sent: thinking
 * that the model continues after the results (`reasoning_content`), or signed thinking (`reasoning_details`).
 */
export function createTurnFieldCollector() {
  let thinking = ''
  const details: Record<string, unknown>[] = []
  return {
    push({ reasoning_content: text, reasoning_details: chunks }: JsonObject): void {
      if (typeof text === 'string') thinking += text
      if (Array.isArray(chunks)) for (const chunk of chunks as readonly unknown[]) addDetail(details, chunk)
    },
    /** Returns the fields to send back with the turn; undefined when there were none. */
    end(): JsonObject | undefined {
      if (details.length > 0) return { reasoning_details: details }
      return thinking === '' ? undefined : { reasoning_content: thinking }
    },
  }
}

/** Adds a chunk: text that continues the last detail is joined with it, anything else becomes a new detail. */
function addDetail(details: Record<string, unknown>[], chunk: unknown): void {
  if (typeof chunk !== 'object' || chunk === null) return
  const last = details.at(-1)
  const { text, ...fields } = chunk as Record<string, unknown>
  const continuesLast =
    typeof text === 'string' &&
    typeof last?.['text'] === 'string' &&
    last['type'] === fields['type'] &&
    last['index'] === fields['index']
  if (continuesLast) Object.assign(last, fields, { text: `${String(last['text'])}${text}` })
  else details.push({ ...(chunk as Record<string, unknown>) })
}
