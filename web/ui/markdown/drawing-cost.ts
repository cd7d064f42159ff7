/*
 * What it costs to read and draw a text as markdown, estimated from its characters: an ordinary one costs 1, one that
 * makes an element, or that the parser has to remember, costs more. About 300 are a millisecond of a slow computer.
 */

const costs = new Uint8Array(128).fill(1)
for (const [cost, characters] of [
  [8, '|!&~_^{@.:'],
  [16, '\n[<>*`'],
  [24, '\\'],
  [100, '$'],
] as const)
  for (const character of characters) costs[character.charCodeAt(0)] = cost
costs['.'.charCodeAt(0)] = 3

/** The cost of drawing a text from one place to another. */
export function costOf(text: string, start = 0, end = text.length): number {
  let sum = 0
  for (let at = start; at < end; at++) sum += costs[text.charCodeAt(at)] ?? 1
  return sum
}

/** Returns how far a text can be read from a place for a cost. */
export function reachFor(text: string, start: number, maxCost: number): number {
  let at = start
  for (let sum = 0; at < text.length; at++) {
    sum += costs[text.charCodeAt(at)] ?? 1
    if (sum > maxCost) break
  }
  return at
}

/**
 * The highest cost of what is drawn without a pause. A block that costs more is divided between its items or rows, or is
 * shown as plain text.
 */
export const maxStepCost = 16_000
