import type { Message } from '@yonder/contract/message'
import type { Db } from '../db/database.ts'
import type { BotRow, UsageRecordRow } from '../db/tables/tables.ts'
import { newId } from '../lib/new-id.ts'
import { costInNanos } from '../models/catalogue/cost.ts'
import type { ModelFacts } from '../models/catalogue/package-facts.ts'
import type { CollectedReply } from '../models/collect-reply.ts'
import type { ModelUsage } from '../models/model.ts'
import { storeUsageRecord } from './usage-store.ts'

export interface MeteredCall {
  readonly userId: string
  readonly bot: BotRow
  readonly chatId: string
  /** The id of the reply for which the model is called, also for a summary or a title; or of a summary that it rewrites. */
  readonly messageId: string
  readonly kind: UsageRecordRow['kind']
}

export interface MeterDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** What is known about a model at the provider of a bot. Never rejects. */
  readonly findModelFacts: (bot: BotRow, model: string) => Promise<ModelFacts>
}

/** Stores what a call used. `run` may contain the reply, which names the model and the provider that answered. */
export type UsageWrite = (trx: Db, run: { readonly messages: readonly Message[] }) => Promise<void>

/** Measures one call of a model, and creates the writes that store what it used and cost. */
export class CallMeter {
  readonly #deps: MeterDeps
  readonly #call: MeteredCall
  readonly #id = newId()
  readonly #startedAt = performance.now()
  /** Read at once, so that the prices are those of the time of the call, and are usually there before the commit. */
  readonly #facts: Promise<ModelFacts>
  #firstOutputAt: number | undefined
  #hasReport = false

  constructor(deps: MeterDeps, call: MeteredCall) {
    this.#deps = deps
    this.#call = call
    this.#facts = deps.findModelFacts(call.bot, call.bot.model)
  }

  /** Called for each text, reasoning or tool call. Notes the time of the first. */
  onOutput(): void {
    this.#firstOutputAt ??= performance.now()
  }

  /** Returns the write for the commit of a usage report. A later report of the same call replaces its figures. */
  createWrite(usage: ModelUsage): UsageWrite {
    this.#hasReport = true
    return this.#toWrite(usage)
  }

  /** Returns the write for a call that had output and no report, so that it is counted as unknown. */
  createUnreportedWrite(): UsageWrite | undefined {
    return this.#hasReport || this.#firstOutputAt === undefined ? undefined : this.#toWrite()
  }

  /** Returns the write for a reply that was collected as a whole; undefined for one without usage and text. */
  createReplyWrite({ usage, text }: CollectedReply): UsageWrite | undefined {
    return usage === undefined && text === '' ? undefined : this.#toWrite(usage)
  }

  #toWrite(usage: ModelUsage = { input_tokens: null, output_tokens: null }): UsageWrite {
    const { userId, bot, chatId, messageId, kind } = this.#call
    const time = this.#deps.now()
    const duration_ms = Math.round(performance.now() - this.#startedAt)
    const first = this.#firstOutputAt
    return async (trx, state) => {
      const reply = state.messages.find(({ id }) => id === messageId)
      const model = reply?.model ?? bot.model
      const facts = await this.#facts
      const { prices } =
        facts.prices !== undefined || model === bot.model
          ? facts
          : await this.#deps.findModelFacts(bot, model)
      const cost = costInNanos(usage, prices)
      await storeUsageRecord(trx, {
        id: this.#id,
        user_id: userId,
        chat_id: chatId,
        message_id: messageId,
        kind,
        bot_id: bot.id,
        bot: bot.name,
        model: bot.model,
        provider: reply?.provider ?? null,
        time,
        duration_ms,
        first_text_ms: first === undefined ? null : Math.round(first - this.#startedAt),
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_tokens: usage.cached_tokens ?? null,
        cache_write_tokens: usage.cache_write_tokens ?? null,
        reasoning_tokens: usage.reasoning_tokens ?? null,
        cost,
        currency: cost === null ? null : (prices?.currency ?? null),
      })
    }
  }
}
