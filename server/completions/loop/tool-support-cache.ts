import type { BotRow } from '../../db/tables/tables.ts'

/** Milliseconds for which a model is believed to take no tools. */
const believed = 600_000
/** Bots that are remembered. */
const most = 1_000

/** Which bots' models refused to be given tools, so that they are not asked twice each time. */
export class ToollessBots {
  readonly #until = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(bot: BotRow): void {
    this.#until.set(keyOf(bot), this.#now() + believed)
    const [oldest] = this.#until.keys()
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest)
  }

  has(bot: BotRow): boolean {
    return (this.#until.get(keyOf(bot)) ?? 0) > this.#now()
  }
}

/** Another model or address is asked anew. */
function keyOf({ id, model, base_url, api_type, custom_api_path }: BotRow): string {
  return JSON.stringify([id, model, base_url, api_type, custom_api_path])
}
