export interface ToolCandidate {
  readonly connectorId: string
  /** Characters that the tool adds to a request. */
  readonly chars: number
  /** Whether the user has allowed or used the tool, so that it is chosen first. */
  readonly isPreferred: boolean
}

export interface RequestRoom {
  readonly maxTools: number
  readonly maxChars: number
}

export interface SharedRoom<Candidate> {
  readonly chosen: ReadonlySet<Candidate>
  /** The limits because of which tools were left out. */
  readonly reached: ReadonlySet<keyof RequestRoom>
}

/** The part of the room that preferred tools take before the connectors share the rest. */
const preferredPart = 0.75

/**
 * Chooses the tools that fit into one request. Preferred tools come first, up to three quarters of the room. The rest
 * is shared: each turn goes to the connector that has the smallest part of the room so far, of tools or of characters,
 * whichever is larger. So no connector is left out as a whole because of its name or its neighbours (§12.26).
 */
export function shareTools<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
  room: RequestRoom,
): SharedRoom<Candidate> {
  const sharing = new Sharing<Candidate>(room)
  const preferred = candidates.filter(({ isPreferred }) => isPreferred)
  const others = candidates.filter(({ isPreferred }) => !isPreferred)
  sharing.choose(preferred, {
    maxTools: Math.floor(room.maxTools * preferredPart),
    maxChars: Math.floor(room.maxChars * preferredPart),
  })
  sharing.reached.clear()
  const remaining = preferred.filter((candidate) => !sharing.chosen.has(candidate))
  sharing.choose([...remaining, ...others], room)
  return sharing
}

interface Share {
  tools: number
  chars: number
}

class Sharing<Candidate extends ToolCandidate> {
  readonly chosen = new Set<Candidate>()
  readonly reached = new Set<keyof RequestRoom>()
  readonly #room: RequestRoom
  readonly #shares = new Map<string, Share>()
  readonly #total: Share = { tools: 0, chars: 0 }

  constructor(room: RequestRoom) {
    this.#room = room
  }

  /** Chooses candidates until the limits are reached. Of a connector, they are tried in the given order. */
  choose(candidates: readonly Candidate[], limits: RequestRoom): void {
    const queues = new Map<string, Candidate[]>()
    for (const candidate of candidates.toReversed()) {
      const queue = queues.get(candidate.connectorId)
      if (queue === undefined) queues.set(candidate.connectorId, [candidate])
      else queue.push(candidate)
    }
    // In the order of the candidates, so that equal shares are always resolved alike.
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

  #add(candidate: Candidate, { maxTools, maxChars }: RequestRoom): void {
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
    return Math.max(tools / this.#room.maxTools, chars / this.#room.maxChars)
  }
}
