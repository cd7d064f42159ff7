import { LRUCache } from 'lru-cache'
import type { BotRow } from '../../db/tables/tables.ts'
import type { ModelOptions, ModelPart, ModelReply, ModelRequest, ModelStream } from '../../models/model.ts'

type OptionName = keyof ModelOptions
type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] }

/** Milliseconds for which a refused option is remembered, and for how many bots. */
const maxRefusalAgeMs = 600_000
const maxBots = 1_000

/** Remembers which options a bot's model refused, so that later requests omit them at once. */
export class OptionSupportCache {
  readonly #refused: LRUCache<string, readonly OptionName[]>

  constructor(now: () => number) {
    this.#refused = new LRUCache({ max: maxBots, ttl: maxRefusalAgeMs, perf: { now } })
  }

  addRefusal(bot: BotRow, option: OptionName): void {
    this.#refused.set(keyOf(bot), [...this.refusedBy(bot), option])
  }

  refusedBy(bot: BotRow): readonly OptionName[] {
    return this.#refused.get(keyOf(bot)) ?? []
  }
}

/** The key has the model, its address and the options: after a change of any of them all options are sent again. */
function keyOf(bot: BotRow): string {
  const { id, model, base_url, api_type, custom_api_path, temperature, top_p, reasoning_effort } = bot
  return JSON.stringify([
    [id, model, base_url, api_type, custom_api_path],
    [temperature, top_p, reasoning_effort],
  ])
}

interface OptionSupport {
  /** The options that the model has refused. */
  readonly listRefused: () => readonly OptionName[]
  readonly addRefusal: (option: OptionName) => void
  /** Called for each option that a request is sent without. */
  readonly onOmitted: (option: OptionName) => void
}

/**
 * Returns a stream that calls the model without the options that it has refused before. When the model refuses another
 * option, the stream calls it again without that one, at most once for each option.
 */
export function omitRefusedOptions(model: ModelStream, support: OptionSupport): ModelStream {
  return (request, options) => {
    if (request.options === undefined) return model(request, options)
    const waiting: ModelPart[] = []
    let sent = withoutRefused(request, support)
    let refused: OptionName | undefined
    let reply: ModelReply

    /** Takes the parts of the upstream, except for the refusal, which is always the last one. */
    function pull(): void {
      const parts = reply.drain()
      const last = parts.at(-1)
      const option = last?.type === 'failed' ? findRefused(sent, last.option) : undefined
      refused ??= option
      waiting.push(...(option === undefined ? parts : parts.slice(0, -1)))
    }

    async function callUntilAccepted(): Promise<void> {
      for (;;) {
        await reply.closed
        pull()
        if (refused === undefined || options.signal.aborted) return
        support.addRefusal(refused)
        sent = withoutRefused(request, support)
        refused = undefined
        reply = model(sent, options)
      }
    }

    reply = model(sent, options)
    return {
      drain() {
        pull()
        return options.signal.aborted ? [] : waiting.splice(0)
      },
      closed: callUntilAccepted(),
    }
  }
}

/** The option that was refused, if the request has it. */
function findRefused({ options = {} }: ModelRequest, option: OptionName | undefined): OptionName | undefined {
  return option !== undefined && options[option] !== undefined ? option : undefined
}

function withoutRefused(request: ModelRequest, { listRefused, onOmitted }: OptionSupport): ModelRequest {
  const options: Writable<ModelOptions> = { ...request.options }
  for (const name of listRefused()) {
    if (options[name] === undefined) continue
    delete options[name]
    onOmitted(name)
  }
  return { ...request, options }
}
