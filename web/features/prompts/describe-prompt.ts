import type { SentMessage, SentTool, SentPrompt } from '@yonder/contract/sent-prompt'
import { formatCount } from '../../lib/format-usage.ts'

/** Returns the number of characters of a message, including its tool calls. */
export function sizeOfMessage({ content, tool_calls: calls = [] }: SentMessage): number {
  return calls.reduce((size, call) => size + call.name.length + call.arguments.length, content.length)
}

/** Returns the number of characters of a tool's definition. */
export function sizeOfTool({ name, description, schema }: SentTool): number {
  return name.length + description.length + schema.length
}

/** Returns the size of a prompt, or of the parts of it that are still stored, as a text. */
export function describeSize({ instructions, messages, tools, missing }: SentPrompt): string {
  const sizes = [instructions?.length ?? 0, ...messages.map(sizeOfMessage), ...tools.map(sizeOfTool)]
  const chars = sizes.reduce((total, size) => total + size, 0)
  return `${formatChars(chars)} ${missing.length === 0 ? 'in all' : 'still stored'}`
}

export function formatChars(chars: number): string {
  return chars === 1 ? '1 character' : `${formatCount(chars)} characters`
}

/** Returns a text for each option that was sent. */
export function describeOptions(prompt: SentPrompt): string[] {
  const { temperature, top_p, reasoning_effort, max_tokens } = prompt
  return [
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(top_p === undefined ? [] : [`top-p ${top_p}`]),
    ...(reasoning_effort === undefined ? [] : [`reasoning effort ${reasoning_effort}`]),
    ...(max_tokens === null ? [] : [`at most ${formatCount(max_tokens)} tokens`]),
  ]
}
