export interface ToolCandidate {
  readonly connectorId: string
  /** Characters that the tool adds to a request. */
  readonly chars: number
  /** Whether the user has allowed or used the tool, so that it is chosen first. */
  readonly isPreferred: boolean
}

/** What all tools of one request to a model may take together. */
export interface RequestLimits {
  readonly maxTools: number
  readonly maxChars: number
}

export interface ToolSelection<Candidate> {
  readonly chosen: ReadonlySet<Candidate>
  /** The limits that caused tools to be left out. */
  readonly reached: ReadonlySet<keyof RequestLimits>
}

/** The part of the limits that preferred tools may use before the connectors share the rest. */
const preferredPart = 0.75

/**
 * Chooses the tools that fit into one request. Preferred tools come first, up to three quarters of the limits. The rest
 * is shared: each further tool is taken from the connector with the smallest share so far. The share of a connector is
 * its part of the tools or of the characters, whichever is larger, so a connector with many or large tools does not
 * displace the others.
 */
export function shareTools<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
  limits: RequestLimits,
): ToolSelection<Candidate> {
  const chosen = new Set<Candidate>()
  const reached = new Set<keyof RequestLimits>()
  let chars = 0
  const choose = (part: number, from: readonly Candidate[]): void => {
    reached.clear()
    for (const candidate of inTurns(from, [...chosen], limits)) {
      if (chosen.size >= Math.floor(limits.maxTools * part)) reached.add('maxTools')
      // A smaller tool may still fit.
      else if (chars + candidate.chars > limits.maxChars * part) reached.add('maxChars')
      else {
        chosen.add(candidate)
        chars += candidate.chars
      }
    }
  }
  const preferred = candidates.filter(({ isPreferred }) => isPreferred)
  choose(preferredPart, preferred)
  const remaining = [...preferred, ...candidates.filter(({ isPreferred }) => !isPreferred)]
  choose(
    1,
    remaining.filter((candidate) => !chosen.has(candidate)),
  )
  return { chosen, reached }
}

/** Sorts candidates by the share that their connector has with all that it has before them, beginning with `chosen`. */
function inTurns<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
  chosen: readonly Candidate[],
  { maxTools, maxChars }: RequestLimits,
): Candidate[] {
  const counts = new Map<string, { tools: number; chars: number }>()
  const countBefore = ({ connectorId, chars }: Candidate): number => {
    const before = counts.get(connectorId) ?? { tools: 0, chars: 0 }
    counts.set(connectorId, { tools: before.tools + 1, chars: before.chars + chars })
    return Math.max(before.tools / maxTools, before.chars / maxChars)
  }
  chosen.forEach(countBefore)
  const shares = new Map(candidates.map((candidate) => [candidate, countBefore(candidate)]))
  return candidates.toSorted((a, b) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0))
}
