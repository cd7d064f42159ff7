import { reasoningEfforts } from '@yonder/contract/bot'
import type { BotRow } from '../../db/tables/tables.ts'
import type { ModelOptions, ModelRequest } from '../../models/model.ts'
import { fillInstructions, type InstructionsContext } from './fill-instructions.ts'

/** What every request of a run to the model contains besides messages and tools. */
export type RequestSettings = Omit<ModelRequest, 'messages' | 'tools'>

type BotSettings = Pick<
  BotRow,
  'model' | 'max_tokens' | 'instructions' | 'temperature' | 'top_p' | 'reasoning_effort'
>

/** Reads the settings of a bot once for a run, so that all its requests begin with the same instructions. */
export function requestSettings(bot: BotSettings, context: InstructionsContext): RequestSettings {
  const options = optionsOf(bot)
  return {
    model: bot.model,
    maxTokens: bot.max_tokens,
    ...(bot.instructions !== null && { instructions: fillInstructions(bot.instructions, context) }),
    ...(Object.keys(options).length > 0 && { options }),
  }
}

/** The options that are set. The others are not sent, so that the provider's default applies. */
function optionsOf({ temperature, top_p, reasoning_effort }: BotSettings): ModelOptions {
  const reasoningEffort = reasoningEfforts.find((effort) => effort === reasoning_effort)
  return {
    ...(temperature !== null && { temperature }),
    ...(top_p !== null && { topP: top_p }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  }
}
