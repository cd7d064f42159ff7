import type { Db } from '../db/database.ts'
import type { UsageRecordRow } from '../db/tables/tables.ts'
import { costInNanos, type ModelPrices } from '../models/catalogue/cost.ts'
import type { ModelUsage } from '../models/model.ts'
import { toTokenCounts } from './token-counts.ts'
import { storeUsageRecord } from './usage-store.ts'

/** One call of a model, and what its provider reported. */
export interface ModelCallRecord extends Omit<UsageRecordRow, `${string}_tokens` | 'cost' | 'currency'> {
  /** Absent when the provider reported nothing. */
  readonly usage?: ModelUsage
  /** The prices at the time of the call. Absent when they are not known. */
  readonly prices?: ModelPrices
}

/** Stores what a call used and cost. Recording the same id again replaces the figures. */
export async function recordUsage(trx: Db, { usage, prices, ...call }: ModelCallRecord): Promise<void> {
  const counts = toTokenCounts(usage)
  const cost = costInNanos(counts, prices)
  await storeUsageRecord(trx, {
    ...call,
    input_tokens: counts.input,
    output_tokens: counts.output,
    cached_tokens: counts.cached,
    cache_write_tokens: counts.cacheWrite,
    reasoning_tokens: counts.reasoning,
    cost,
    currency: cost === null ? null : (prices?.currency ?? null),
  })
}
