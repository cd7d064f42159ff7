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
  const sharing = new Sharing<Candidate>(limits)
  const preferred = candidates.filter(({ isPreferred }) => isPreferred)
  const others = candidates.filter(({ isPreferred }) => !isPreferred)
  sharing.choose(preferred, {
    maxTools: Math.floor(limits.maxTools * preferredPart),
    maxChars: Math.floor(limits.maxChars * preferredPart),
  })
  // These limits were only a part of the request's.
  sharing.reached.clear()
  const remaining = preferred.filter((candidate) => !sharing.chosen.has(candidate))
  sharing.choose([...remaining, ...others], limits)
  return sharing
}

interface Share {
  tools: number
  chars: number
}

class Sharing<Candidate extends ToolCandidate> {
  readonly chosen = new Set<Candidate>()
  readonly reached = new Set<keyof RequestLimits>()
  readonly #limits: RequestLimits
  readonly #shares = new Map<string, Share>()
  readonly #total: Share = { tools: 0, chars: 0 }

  constructor(limits: RequestLimits) {
    this.#limits = limits
  }

  /** Chooses candidates within the limits. Those of one connector are tried in the given order. */
  choose(candidates: readonly Candidate[], limits: RequestLimits): void {
    const queues = new Map<string, Candidate[]>()
    for (const candidate of candidates.toReversed()) {
      const queue = queues.get(candidate.connectorId)
      if (queue === undefined) queues.set(candidate.connectorId, [candidate])
      else queue.push(candidate)
    }
    // In an order that depends only on the candidates, so that the choice between equal shares is always the same.
    const inOrder = [...queues].toReversed()
    while (inOrder.length > 0) {
      const [connectorId, queue] = inOrder.reduce((least, other) =>
        this.#partOf(other[0]) < this.#partOf(least[0]) ? other : least,
      )
      const next = queue.pop()
      if (next === undefined)
        inOrder.splice(
          inOrder.findIndex(([id]) => id === connectorId),
          1,
        )
      else this.#add(next, limits)
    }
  }

  #add(candidate: Candidate, { maxTools, maxChars }: RequestLimits): void {
    const total = this.#total
    if (total.tools >= maxTools) return void this.reached.add('maxTools')
    // A smaller tool may still fit.
    if (total.chars + candidate.chars > maxChars) return void this.reached.add('maxChars')
    this.chosen.add(candidate)
    const share = this.#shares.get(candidate.connectorId) ?? { tools: 0, chars: 0 }
    this.#shares.set(candidate.connectorId, share)
    for (const each of [share, total]) {
      each.tools++
      each.chars += candidate.chars
    }
  }

  #partOf(connectorId: string): number {
    const { tools, chars } = this.#shares.get(connectorId) ?? { tools: 0, chars: 0 }
    return Math.max(tools / this.#limits.maxTools, chars / this.#limits.maxChars)
  }
}
