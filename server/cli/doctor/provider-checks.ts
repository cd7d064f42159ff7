import type { Config } from '../../config/config.ts'
import { createHostedKeys } from '../../identity/hosted/hosted-keys.ts'
import { listLimits, listModels } from '../../models/list-models.ts'
import { maxRequestMs } from './address-check.ts'
import {
  reportUnchecked,
  messageOf,
  ok,
  problem,
  reasonOf,
  warning,
  type Check,
  type Report,
} from './finding.ts'

/**
 * The provider of bots without an address: that it can be reached, accepts the key, and lists the models of the default
 * bots.
 */
export const modelCheck: Check = {
  name: 'model',
  async run(context) {
    const { config, guards } = context
    const unchecked = reportUnchecked(context, ['DEFAULT_MODEL_BASE_URL', 'DEFAULT_MODEL_API_KEY'])
    if (unchecked.length > 0) return unchecked
    if (config.defaultModel === null) return [ok('No provider is set (DEFAULT_MODEL_BASE_URL).')]
    const { baseUrl, apiKey } = config.defaultModel
    const endpoint = {
      apiType: 'openai',
      baseUrl,
      apiKey,
      customApiPath: null,
      addressSource: 'operatorSupplied',
    } as const
    const limits = { ...listLimits, timeoutMs: maxRequestMs }
    try {
      const { models, omitted } = await listModels(endpoint, { guards, limits }, new AbortController().signal)
      const unknown = omitted > 0 ? [] : listDefaultModels(config).filter((model) => !models.includes(model))
      const count = models.length + omitted
      return unknown.length === 0
        ? [ok(`The provider at ${baseUrl} responds, and lists ${count} ${count === 1 ? 'model' : 'models'}.`)]
        : [warning(`The provider at ${baseUrl} does not list ${unknown.join(', ')}. Check DEFAULT_BOTS.`)]
    } catch (error) {
      // Not every provider has a list of models.
      const hasNoList = /has no list of models/.test(messageOf(error))
      return [hasNoList ? warning(messageOf(error)) : problem(`DEFAULT_MODEL_BASE_URL: ${messageOf(error)}`)]
    }
  },
}

/** The models of default bots that are called at the operator's provider. */
function listDefaultModels({ defaultBots }: Config): string[] {
  return (defaultBots ?? []).flatMap(({ base_url, api_type, model }) =>
    (base_url ?? '') === '' && (api_type ?? 'openai') === 'openai' ? [model] : [],
  )
}

/** The hosted provider of the sign-in, and Google, which the built-in provider, Gmail and Google Calendar use. */
export const signInCheck: Check = {
  name: 'sign-in',
  async run(context) {
    const { config, guards } = context
    const { oidc, google } = config
    const findings: Report[] = []
    for (const [setting, issuer, settings] of [
      ['OIDC_ISSUER', oidc?.issuer, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_AUDIENCE']],
      ['Google', google?.issuer, ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'GOOGLE_ISSUER']],
    ] as const) {
      const unchecked = reportUnchecked(context, settings)
      findings.push(...unchecked)
      if (issuer === undefined || unchecked.length > 0) continue
      try {
        const { jwks_uri } = await createHostedKeys(issuer, guards.operatorSupplied).discover()
        const keys = await guards.operatorSupplied.fetch(jwks_uri, {
          signal: AbortSignal.timeout(maxRequestMs),
        })
        await keys.body?.cancel()
        findings.push(
          keys.ok
            ? ok(`${setting}: ${issuer} responds.`)
            : problem(`${setting}: the keys at ${jwks_uri} cannot be read (status ${keys.status}).`),
        )
      } catch (error) {
        findings.push(problem(`${setting}: ${issuer} cannot be used. ${reasonOf(error)}`))
      }
    }
    return findings.length > 0 ? findings : [ok('Users sign in with accounts of this server.')]
  },
}
