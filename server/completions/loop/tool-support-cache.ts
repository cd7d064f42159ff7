import type { BotRow } from '../../db/tables/tables.ts'

/** Milliseconds for which a refusal is remembered. */
const maxAgeMs = 600_000
const maxBots = 1_000

/**
 * Remembers which bots' models refused tools, so that later requests omit tools at once instead of failing first
 * (§12.18).
 */
export class ToolSupportCache {
  readonly #refusedUntil = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  addRefusal(bot: BotRow): void {
    this.#refusedUntil.set(keyOf(bot), this.#now() + maxAgeMs)
    const [oldest] = this.#refusedUntil.keys()
    if (this.#refusedUntil.size > maxBots && oldest !== undefined) this.#refusedUntil.delete(oldest)
  }

  refuses(bot: BotRow): boolean {
    return (this.#refusedUntil.get(keyOf(bot)) ?? 0) > this.#now()
  }
}

/** Contains the model and its address, so that after a change of either the bot gets tools again. */
function keyOf({ id, model, base_url, api_type, custom_api_path }: BotRow): string {
  return JSON.stringify([id, model, base_url, api_type, custom_api_path])
}
