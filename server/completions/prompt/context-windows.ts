import { LRUCache } from 'lru-cache'
import type { BotRow } from '../../db/tables/tables.ts'
import type { MeterDeps } from '../../usage/call-meter.ts'

/** How long a window that was learned from a refused prompt is remembered, and for how many bots. */
const maxAgeMs = 3_600_000
const maxWindows = 1_000

/** The context windows of bots' models, in tokens. */
export class ContextWindows {
  readonly #learned: LRUCache<string, number>
  readonly #findModelFacts: MeterDeps['findModelFacts']

  constructor(findModelFacts: MeterDeps['findModelFacts'], now: () => number) {
    this.#findModelFacts = findModelFacts
    this.#learned = new LRUCache({ max: maxWindows, ttl: maxAgeMs, perf: { now } })
  }

  /**
   * Returns the window that the user entered, else the one that the operator, the provider's list or the catalogue of
   * models states, and never more than what was learned from a refused prompt; undefined when nothing is known.
   */
  async find(bot: BotRow): Promise<number | undefined> {
    const known = bot.context_window ?? (await this.#findModelFacts(bot, bot.model)).contextWindow
    const learned = this.#learned.get(keyOf(bot))
    return learned === undefined ? known : Math.min(learned, known ?? Infinity)
  }

  /** Remembers, after the provider has refused a prompt, that the window has at most `tokens`. */
  learn(bot: BotRow, tokens: number): void {
    this.#learned.set(keyOf(bot), tokens)
  }
}

function keyOf({ id, model, base_url, context_window }: BotRow): string {
  return JSON.stringify([id, model, base_url, context_window])
}
