import type { Config } from '../../config/config.ts'
import { openaiEndpoint } from '../../models/endpoint.ts'
import { listModels } from '../../models/list-models.ts'
import { maxRequestMs } from './address-check.ts'
import { messageOf, type Check } from './finding.ts'

/**
 * The provider of bots without an address: that it can be reached, accepts the key, and lists the models of the default
 * bots.
 */
export const modelCheck: Check = {
  name: 'model',
  settings: ['DEFAULT_MODEL_BASE_URL', 'DEFAULT_MODEL_API_KEY'],
  async run({ config, guards }, report) {
    if (config.defaultModel === null) return 'No provider is set (DEFAULT_MODEL_BASE_URL).'
    const { baseUrl, apiKey } = config.defaultModel
    const endpoint = openaiEndpoint(baseUrl, 'operatorSupplied', apiKey)
    try {
      const { models, omitted } = await listModels(
        endpoint,
        { guards, timeoutMs: maxRequestMs },
        new AbortController().signal,
      )
      const unknown = omitted > 0 ? [] : listDefaultModels(config).filter((model) => !models.includes(model))
      if (unknown.length > 0)
        report.warning(`The provider at ${baseUrl} does not list ${unknown.join(', ')}. Check DEFAULT_BOTS.`)
      const count = models.length + omitted
      return `The provider at ${baseUrl} responds, and lists ${count} ${count === 1 ? 'model' : 'models'}.`
    } catch (error) {
      // Not every provider has a list of models.
      if (/has no list of models/.test(messageOf(error))) report.warning(messageOf(error))
      else report.problem(`DEFAULT_MODEL_BASE_URL: ${messageOf(error)}`)
      return undefined
    }
  },
}

/** The models of default bots that are called at the operator's provider. */
function listDefaultModels({ defaultBots }: Config): string[] {
  return (defaultBots ?? []).flatMap(({ base_url, api_type, model, title_model }) =>
    (base_url ?? '') === '' && (api_type ?? 'openai') === 'openai'
      ? [model, title_model ?? ''].filter((name) => name !== '')
      : [],
  )
}
