import { LRUCache } from 'lru-cache'

/** Milliseconds for which a dialect is remembered, and for how many models. */
const maxAgeMs = 600_000
const maxDialects = 1_000

/** Remembers in which dialect a model took a request after it had refused another, so that later requests start with it. */
export class DialectMemory {
  readonly #dialects: LRUCache<string, object>

  constructor(now: () => number) {
    this.#dialects = new LRUCache({ max: maxDialects, ttl: maxAgeMs, ttlResolution: 0, perf: { now } })
  }

  find(key: string): object | undefined {
    return this.#dialects.get(key)
  }

  remember(key: string, dialect: object): void {
    this.#dialects.set(key, dialect)
  }

  forget(key: string): void {
    this.#dialects.delete(key)
  }
}
