/**
 * The one of `names` that differs least from `name`, by at most one mistake in every `charsPerMistake` characters;
 * undefined when none is so near. A mistake is a character too much, too few, or wrong, or two that are exchanged.
 */
export function findNearest(name: string, names: readonly string[], charsPerMistake = 3): string | undefined {
  let nearest: string | undefined
  let least = Infinity
  for (const one of names) {
    const mistakes = countMistakes(name, one)
    if (mistakes <= one.length / charsPerMistake && mistakes < least) [nearest, least] = [one, mistakes]
  }
  return nearest
}

/** The optimal string alignment distance. */
function countMistakes(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1]
      const isExchanged =
        row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      current[at] = Math.min(
        (rows[row - 1]?.[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (rows[row - 1]?.[at - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (rows[row - 2]?.[at - 2] ?? 0) + 1 : Infinity,
      )
    }
    rows.push(current)
  }
  return rows[one.length]?.[other.length] ?? Infinity
}
