import type { LocalModels } from '@yonder/contract/bot'
import type { Config } from '../../config/config.ts'
import { trimSlashes } from '../../lib/text.ts'
import type { ModelDeps } from '../../models/adapter.ts'
import { openaiEndpoint } from '../../models/endpoint.ts'
import { listModels } from '../../models/list-models.ts'

const timeoutMs = 500

export interface OllamaDeps extends Pick<ModelDeps, 'guards'> {
  readonly config: Pick<Config, 'ollamaUrl'>
}

/**
 * Looks for the Ollama next to a loopback installation, where only users of this machine can reach it, or the
 * one that the operator has set and allowed. Returns null when there is none, or when it has no models or
 * responds with an error, which is not reported because the user did not ask for Ollama.
 */
export async function findOllama(
  { config, guards }: OllamaDeps,
  signal: AbortSignal,
): Promise<LocalModels['local']> {
  if (config.ollamaUrl === null) return null
  const base_url = `${trimSlashes(config.ollamaUrl)}/v1`
  // A bot with this address is called under the rules for users, so it is looked for under the same rules.
  const endpoint = openaiEndpoint(base_url, 'userSupplied')
  try {
    const { models } = await listModels(endpoint, { guards, timeoutMs }, signal)
    return models.length === 0 ? null : { base_url, models }
  } catch {
    return null
  }
}
