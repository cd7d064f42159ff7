import type { LeftOutTools } from './tool-call.ts'

// This module does not import zod, which keeps zod out of the bundle of the browser.

/** Writes commas and a final "and" without a comma before it. */
const list = new Intl.ListFormat('en-GB')

/** Returns a sentence that says how many tools of which connectors are left out, and why. */
export function describeLeftOut({ connectors, max_tools, max_chars }: LeftOutTools): string {
  if (connectors.length === 0) return 'From here on, no tools are left out.'
  const parts = connectors.map(({ server, count }) => `${formatToolCount(count)} of ${server}`)
  const total = connectors.reduce((sum, { count }) => sum + count, 0)
  const limits = [
    ...(max_tools === undefined ? [] : [`${formatNumber(max_tools)} tools`]),
    ...(max_chars === undefined ? [] : [`${formatNumber(max_chars)} characters of tool descriptions`]),
  ]
  return `From here on, ${list.format(parts)} ${total === 1 ? 'is' : 'are'} left out: a model is offered at most ${list.format(limits)}.`
}

/** How many tools of all connectors together one request to a model offers at most. */
export const maxOfferedTools = 128

/** Returns a sentence that says how many of how many tools are offered, if it is known. */
export function describeOffered({
  offered,
  total,
}: Pick<LeftOutTools, 'offered' | 'total'>): string | undefined {
  if (offered === undefined || total === undefined) return undefined
  return `${formatNumber(offered)} of ${formatToolCount(total)} ${total === 1 ? 'is' : 'are'} offered.`
}

/** Formats a number of tools for users, such as `1 tool`. */
export function formatToolCount(tools: number): string {
  return tools === 1 ? '1 tool' : `${formatNumber(tools)} tools`
}

function formatNumber(number: number): string {
  return number.toLocaleString('en-US')
}
