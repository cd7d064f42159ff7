import { LRUCache } from 'lru-cache'

/** Milliseconds for which a dialect is remembered, and for how many models. */
const maxAgeMs = 600_000
const maxDialects = 1_000

/** Remembers in which dialect a model took a request after it had refused another, so that later requests start with it. */
export class DialectMemory extends LRUCache<string, object> {
  constructor(now: () => number) {
    super({ max: maxDialects, ttl: maxAgeMs, ttlResolution: 0, perf: { now } })
  }
}
