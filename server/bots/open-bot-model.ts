import { resolveEndpoint } from './resolve-endpoint.ts'
import type { Providers } from './resolve-endpoint.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { ModelStream } from '../models/model.ts'
import { PartQueue } from '../models/reply-parts.ts'
import { openModel } from '../models/open-model.ts'
import type { ModelDeps } from '../models/open-model.ts'

/**
 * The model behind a bot. When the bot is misconfigured, the stream fails with the reason, so that the user reads it in
 * place of the reply.
 */
export function openBotModel(bot: BotRow, providers: Providers, models: ModelDeps): ModelStream {
  try {
    return openModel(resolveEndpoint(bot, providers), models)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return () => {
      const parts = new PartQueue()
      parts.push([{ type: 'failed', code: error.code, message: error.message }])
      return { drain: () => parts.drain(), closed: Promise.resolve() }
    }
  }
}
