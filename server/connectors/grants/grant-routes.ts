import { ToolCallList, ToolCallQuery } from '@yonder/contract/connector'
import { Grant, GrantInput, GrantList, RevokedGrants, RevokeQuery } from '@yonder/contract/grant'
import { z } from 'zod'
import { AnyId, type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { normalizeText } from '../../lib/text.ts'
import { listDecidedCalls } from '../calls/call-record-store.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { requireSyncedConnector } from '../sync-connectors.ts'
import { createGrant, revokeAllGrants, revokeGrant } from './change-grants.ts'
import { listAllGrants } from './list-grants.ts'

/** Registers the routes of what bots may do without asking, and of what was decided. */
export function registerGrantRoutes(api: Api, deps: ConnectorDeps): void {
  const notify = (userId: string): void => {
    // The lists of a connector are also shown with it.
    deps.onChanged(userId)
    deps.onGrantsChanged(userId)
  }

  api.get(
    '/api/grants',
    route('user', 'List the permissions', [], { response: { 200: GrantList } }),
    (request) => listAllGrants(deps, requireUser(request)),
  )

  api.post(
    '/api/grants',
    route('owner', 'Allow a tool with limits', ['conflict'], {
      body: GrantInput,
      response: { 201: Grant },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      await requireSyncedConnector(deps, user, request.body.server)
      const grant = await createGrant(deps, user, request.body)
      notify(user.id)
      return reply.status(201).send(grant)
    },
  )

  api.delete(
    '/api/grants/:id',
    route('owner', 'Take back a permission', [], { params: AnyId, response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      await revokeGrant(deps, user, request.params.id)
      notify(user.id)
      return reply.status(204).send(null)
    },
  )

  api.delete(
    '/api/grants',
    route('owner', 'Take back all permissions', [], {
      querystring: RevokeQuery,
      response: { 200: RevokedGrants },
    }),
    async (request) => {
      const user = requireUser(request)
      const { server } = request.query
      const named = server === undefined ? {} : { server: normalizeText(server) }
      const revoked = await revokeAllGrants(deps, user, named)
      notify(user.id)
      return { revoked }
    },
  )

  api.get(
    '/api/tool-calls',
    route('user', 'List the decided tool calls', [], {
      querystring: ToolCallQuery,
      response: { 200: ToolCallList },
    }),
    (request) => listDecidedCalls(deps, requireUser(request), request.query),
  )
}
