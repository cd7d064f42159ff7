import { EndpointDraft, BotTest, BotTestResult, LocalModels, ModelList } from '@yonder/contract/bot'
import type { Config } from '../../config/config.ts'
import { type Api, route } from '../../http/api.ts'
import { closeSignal } from '../../http/close-signal.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { AppError } from '../../lib/app-error.ts'
import { demoModelName } from '../../models/demo/demo-model.ts'
import { ModelFailure } from '../../models/failure.ts'
import { type ListDeps, listModels } from '../../models/list-models.ts'
import { openModel } from '../../models/open-model.ts'
import { demoModel } from '../bot-model.ts'
import { findOllama } from './find-ollama.ts'
import { resolveDraft, type DraftDeps } from './resolve-draft.ts'
import { testLimits, testModel, testTitleModel } from './test-model.ts'

export interface BotCheckRoutesDeps extends DraftDeps, Pick<ListDeps, 'guards' | 'listedModels'> {
  readonly config: Pick<Config, 'defaultModel' | 'ollamaUrl'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Registers the routes that a bot's form calls before it is saved: the models of a provider, those of a local Ollama,
 * and a test. They write nothing. A user may request `perMinute` lists and as many tests, because each may call a
 * provider. A call of a provider ends when the client disconnects.
 */
export function registerBotCheckRoutes(
  api: Api,
  deps: BotCheckRoutesDeps,
  { perMinute }: { readonly perMinute: number },
): void {
  const config = { perMinute }

  api.post(
    '/api/bot/models',
    {
      ...route('owner', 'List the models of a provider', [], {
        body: EndpointDraft,
        response: { 200: ModelList },
      }),
      config,
    },
    async (request, reply) => {
      const user = requireUser(request)
      const signal = closeSignal(reply.raw)
      try {
        const endpoint = await resolveDraft(deps, user, request.body, demoModelName)
        if (endpoint === null) return { models: [demoModelName], omitted: 0 }
        return await listModels(endpoint, deps, signal)
      } catch (error) {
        return { models: [], omitted: 0, problem: requireProblem(error, signal).message }
      }
    },
  )

  api.post(
    '/api/bot/test',
    {
      ...route('owner', 'Test a model with one call', [], {
        body: BotTest,
        response: { 200: BotTestResult },
      }),
      config,
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { model, title_model: titleModel, ...draft } = request.body
      const signal = closeSignal(reply.raw)
      const open = async (name: string) => {
        const endpoint = await resolveDraft(deps, user, draft, name)
        return endpoint === null
          ? demoModel
          : openModel(endpoint, { guards: deps.guards, limits: testLimits })
      }
      try {
        const [tested, titled] = await Promise.all([
          testModel(await open(model), model, deps.now, signal),
          titleModel ? testTitleModel(await open(titleModel), titleModel, deps.now, signal) : undefined,
        ])
        return titled === undefined || !tested.works
          ? tested
          : { ...titled, message: `${tested.message} ${titled.message}` }
      } catch (error) {
        return { works: false, ...requireProblem(error, signal) }
      }
    },
  )

  api.get(
    '/api/bot/local-models',
    route('user', 'List the models of a local Ollama', [], { response: { 200: LocalModels } }),
    async (_request, reply) => ({
      local: await findOllama(deps, closeSignal(reply.raw)),
    }),
  )
}

/**
 * Returns code and message of a failure that the response reports: of a wrong draft or of the upstream. Throws
 * everything else.
 */
function requireProblem(error: unknown, signal: AbortSignal): Pick<AppError, 'code' | 'message'> {
  if (signal.aborted) throw new AppError('invalid_request', 'The client disconnected.', { cause: error })
  const isProblem =
    error instanceof ModelFailure || (error instanceof AppError && problemCodes.includes(error.code))
  if (!isProblem) throw error
  return { code: error.code, message: error.message }
}

/** Other codes, such as `not_found`, refuse the request itself. */
const problemCodes: readonly AppError['code'][] = [
  'bot_misconfigured',
  'address_refused',
  'upstream_invalid',
  'output_limit',
]
