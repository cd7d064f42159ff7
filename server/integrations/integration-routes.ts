import { upstreamErrors } from '@yonder/contract/error'
import {
  Integration,
  IntegrationAuth,
  IntegrationCallback,
  IntegrationInput,
  IntegrationList,
  IntegrationTypes,
} from '@yonder/contract/integration'
import { integrationOfService } from '@yonder/contract/integration-names'
import { z } from 'zod'
import { type Api, route } from '../http/api.ts'
import { requireUser } from '../identity/authenticate.ts'
import { normalizeText } from '../lib/text.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { listIntegrations } from './integration-store.ts'
import {
  createIntegration,
  disconnectIntegration,
  listIntegrationTypes,
  updateApiKey,
} from './manage-integrations.ts'
import { finishGoogleConsent, startGoogleConsent } from './oauth/consent.ts'
import { presentIntegration } from './present-integration.ts'

const NameParams = z.object({ name: z.string().transform(normalizeText) })
const ServiceParams = z.object({ service: z.string().max(200).transform(normalizeText) })

/**
 * Registers the routes of a user's integrations. `perMinute` limits how often a
 * user can start a consent at Google.
 */
export function registerIntegrationRoutes(
  api: Api,
  deps: IntegrationDeps,
  { perMinute }: { readonly perMinute: number },
): void {
  const { db } = deps.database

  api.get(
    '/api/integrations',
    route('user', 'List the integrations', [], { response: { 200: IntegrationList } }),
    async (request) => {
      const integrations = await listIntegrations(db, requireUser(request))
      return integrations.map((integration) => presentIntegration(deps, integration))
    },
  )

  api.get(
    '/api/integration/types',
    route('user', 'List the integrations that can be added', [], { response: { 200: IntegrationTypes } }),
    () => Promise.resolve(listIntegrationTypes(deps)),
  )

  api.post(
    '/api/integration',
    route('user', 'Add an integration', ['name_taken'], {
      body: IntegrationInput,
      response: { 201: Integration },
    }),
    async (request, reply) => {
      const integration = await createIntegration(deps, requireUser(request), request.body)
      return reply.status(201).send(presentIntegration(deps, integration))
    },
  )

  api.put(
    '/api/integration/:name',
    route('owner', 'Change the key of an integration', [], {
      params: NameParams,
      body: IntegrationInput,
      response: { 200: Integration },
    }),
    async (request) => {
      const { name } = request.params
      const integration = await updateApiKey(deps, requireUser(request), name, request.body)
      return presentIntegration(deps, integration)
    },
  )

  api.post(
    '/api/integration/disconnect/:name',
    route('owner', 'Disconnect an integration', [], { params: NameParams, response: { 200: Integration } }),
    async (request) => {
      const integration = await disconnectIntegration(deps, requireUser(request), request.params.name)
      return presentIntegration(deps, integration)
    },
  )

  api.get(
    '/api/integration/auth/:name',
    {
      ...route('owner', 'Start a consent at Google', ['conflict'], {
        params: NameParams,
        response: { 200: IntegrationAuth },
      }),
      config: { perMinute },
    },
    async (request, reply) => {
      const authUrl = await startGoogleConsent(deps, requireUser(request), request.params.name)
      return reply.header('cache-control', 'no-store').send({ authUrl })
    },
  )

  api.post(
    '/api/integration/callback/:service',
    route('user', 'Finish a consent at Google', ['not_found', 'conflict', ...upstreamErrors], {
      params: ServiceParams,
      body: IntegrationCallback,
      response: { 200: Integration },
    }),
    async (request) => {
      const name = integrationOfService(request.params.service)
      const integration = await finishGoogleConsent(deps, requireUser(request), name, request.body)
      return presentIntegration(deps, integration)
    },
  )
}
