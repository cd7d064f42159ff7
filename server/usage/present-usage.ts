import type {
  Cost,
  MessageUsage,
  ModelCallUsage,
  UsageQuery,
  UsageReport,
  UsageTotals,
} from '@yonder/contract/usage/usage-report'
import type { UsageRecordRow } from '../db/tables/tables.ts'
import type { Sums, UsageSums } from './usage-store.ts'

const nanosOfUnit = 1_000_000_000n
const nanoDigits = 9

/** Formats an amount in billionths as a decimal number, without trailing zeros after the point. */
export function formatNanos(nanos: bigint): string {
  const units = nanos / nanosOfUnit
  let decimals = (nanos % nanosOfUnit).toString().padStart(nanoDigits, '0')
  while (decimals.endsWith('0')) decimals = decimals.slice(0, -1)
  return decimals === '' ? `${units}` : `${units}.${decimals}`
}

/** The cost in billionths of the currency's unit. */
export function nanosOf({ cost_units, cost_nanos }: Pick<Sums, 'cost_units' | 'cost_nanos'>): bigint {
  return BigInt(cost_units) * nanosOfUnit + BigInt(cost_nanos)
}

/** Adds up sums. The costs of each currency are added as integers. */
export function addUp(sums: readonly Sums[]): UsageTotals {
  // A count that no call reported is null, which adds 0.
  const add = (key: keyof Sums): number => sums.reduce((total, one) => total + Number(one[key]), 0)
  const costs = new Map<string, bigint>()
  for (const one of sums) {
    if (one.currency === null) continue
    costs.set(one.currency, (costs.get(one.currency) ?? 0n) + nanosOf(one))
  }
  return {
    calls: add('calls'),
    input_tokens: add('input_tokens'),
    cached_tokens: add('cached_tokens'),
    output_tokens: add('output_tokens'),
    reasoning_tokens: add('reasoning_tokens'),
    uncounted_calls: add('uncounted_calls'),
    costs: toCosts(costs),
    unpriced_calls: add('unpriced_calls'),
  }
}

function toCosts(costs: ReadonlyMap<string, bigint>): Cost[] {
  return [...costs]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, nanos]) => ({ currency, amount: formatNanos(nanos) }))
}

/** Adds up the sums of all models for each day, bot and currency. */
export function addUpModels(sums: readonly UsageSums[]): UsageSums[] {
  const groups = Map.groupBy(sums, ({ day, bot, currency }) => JSON.stringify([day, bot, currency]))
  return [...groups.values()].flatMap((parts) => {
    const [first] = parts
    if (first === undefined) return []
    const add = (key: keyof UsageSums): number => parts.reduce((total, one) => total + Number(one[key]), 0)
    return [
      {
        ...first,
        model: '',
        calls: add('calls'),
        input_tokens: add('input_tokens'),
        output_tokens: add('output_tokens'),
        cached_tokens: add('cached_tokens'),
        reasoning_tokens: add('reasoning_tokens'),
        uncounted_calls: add('uncounted_calls'),
        unpriced_calls: add('unpriced_calls'),
        cost_units: add('cost_units'),
        cost_nanos: add('cost_nanos'),
      },
    ]
  })
}

/** The report of a range of days. Every total is a sum of the same parts, so all of them agree. */
export function presentReport(query: UsageQuery, sums: readonly UsageSums[]): UsageReport {
  const addUpBy = (keyOf: (one: UsageSums) => string) =>
    [...Map.groupBy(sums, keyOf)].map(([key, parts]) => [key, addUp(parts)] as const)
  return {
    from: query.from,
    to: query.to,
    time_zone: query.time_zone,
    total: addUp(sums),
    days: addUpBy(({ day }) => day).map(([day, total]) => ({ day, ...total })),
    months: addUpBy(({ day }) => day.slice(0, '2026-11'.length)).map(([month, total]) => ({
      month,
      ...total,
    })),
    bots: addUpBy(({ bot }) => bot)
      .map(([bot, total]) => ({ bot, ...total }))
      .toSorted((one, other) => other.calls - one.calls),
  }
}

function presentCall(record: UsageRecordRow): ModelCallUsage {
  const { cost, currency } = record
  return {
    message_id: record.message_id,
    kind: record.kind,
    bot: record.bot,
    model: record.model,
    provider: record.provider,
    time: new Date(record.time).toISOString(),
    input_tokens: record.input_tokens,
    output_tokens: record.output_tokens,
    cached_tokens: record.cached_tokens,
    reasoning_tokens: record.reasoning_tokens,
    cost: cost === null || currency === null ? null : { currency, amount: formatNanos(BigInt(cost)) },
    duration_ms: record.duration_ms,
    first_text_ms: record.first_text_ms,
  }
}

function toSums(record: UsageRecordRow): UsageSums {
  return {
    day: '',
    bot: record.bot,
    model: record.model,
    currency: record.currency,
    calls: 1,
    input_tokens: record.input_tokens,
    output_tokens: record.output_tokens,
    cached_tokens: record.cached_tokens,
    reasoning_tokens: record.reasoning_tokens,
    uncounted_calls: record.input_tokens === null || record.output_tokens === null ? 1 : 0,
    unpriced_calls: record.cost === null ? 1 : 0,
    cost_units: 0,
    cost_nanos: record.cost ?? 0,
  }
}

/** The calls of some replies, and their sum. */
export function presentMessageUsage(records: readonly UsageRecordRow[]): MessageUsage {
  return { calls: records.map(presentCall), total: addUp(records.map(toSums)) }
}
