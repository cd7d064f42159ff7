import type { Connector, PermissionsInput } from '@yonder/contract/connector'
import type { Grant, GrantInput, GrantList, RevokedGrants } from '@yonder/contract/grant'
import useSWR from 'swr'
import { readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { connectorPath } from './connectors.ts'
import { grantsKey, useLiveListOptions } from './named-list.ts'

/** What bots may do without asking, and what they may not do at all. */
export function useGrants() {
  return useSWR<GrantList, Error>(grantsKey, useLiveListOptions())
}

/** Whether a grant is a place on a connector's list of allowed or of blocked tools. */
export function isListed({ permission, limits }: Grant): boolean {
  return permission === 'block' || Object.values(limits).every((limit) => limit === undefined)
}

/**
 * Revokes a grant, or unblocks a tool. The toast offers to undo it as long as the tool is the one that was allowed;
 * what has ended allowed nothing, and is only removed.
 */
export function useRevokeGrant(connectors: readonly Connector[] | undefined) {
  const restore = useRestoreGrant()
  return useAction({
    call: (api, { id }: Grant) => api.delete<null>(`${grantsKey}/${encodeURIComponent(id)}`),
    update: (update, _answer, { id }) =>
      update<GrantList>(grantsKey, (list) => without(list, (grant) => grant.id === id)),
    success: (_answer, grant) => {
      const name = grant.title ?? grant.tool
      if (grant.ended !== undefined) return `The permission of ${name} is removed`
      return grant.permission === 'block' ? `${name} is no longer blocked` : `${name} asks again`
    },
    undo: (_answer, grant) => {
      const restored = describeRestored(grant, connectors)
      return restored && (() => void restore.run(restored))
    },
    failure: (error, { permission }) =>
      `The ${permission === 'block' ? 'tool was not unblocked' : 'permission was not revoked'}: ${readReason(error)}`,
    refresh: (mutate) => mutate(grantsKey),
  })
}

/** Revokes all grants, or those of one connector. Blocked tools stay blocked. */
export function useRevokeAll() {
  return useAction({
    call: (api, server: string | undefined) => {
      const query = new URLSearchParams(server === undefined ? { all: 'true' } : { server })
      return api.delete<RevokedGrants>(`${grantsKey}?${query}`)
    },
    update: (update, _answer, server) =>
      update<GrantList>(grantsKey, (list) => without(list, (grant) => isRevoked(grant, server))),
    success: ({ revoked }) => `${revoked} ${revoked === 1 ? 'permission' : 'permissions'} revoked`,
    failure: (error) => `The permissions were not revoked: ${readReason(error)}`,
    refresh: (mutate) => mutate(grantsKey),
  })
}

/** Whether revoking all grants of a connector, or of all connectors, revokes this one. */
export function isRevoked({ permission, server }: Grant, connector: string | undefined): boolean {
  return permission === 'allow' && (connector === undefined || server === connector)
}

/** What puts a revoked grant back: a place on a connector's list, or a grant with limits. */
type Restored =
  | { readonly server: string; readonly list: PermissionsInput }
  | { readonly server: string; readonly grant: GrantInput }

function useRestoreGrant() {
  return useAction({
    call: (api, restored: Restored): Promise<unknown> =>
      'list' in restored
        ? api.patch<Connector>(connectorPath(restored.server), restored.list)
        : api.post<Grant>(grantsKey, restored.grant),
    update: (update) => update(grantsKey),
    failure: (error) => `The permission could not be restored: ${readReason(error)}`,
    refresh: (mutate) => mutate(grantsKey),
  })
}

/** Returns undefined for a grant that cannot be put back as it was. */
function describeRestored(
  grant: Grant,
  connectors: readonly Connector[] | undefined,
  now = Date.now(),
): Restored | undefined {
  const { server, tool, permission, limits, ended } = grant
  if (permission === 'block') return { server, list: permissionOf(grant, 'block') }
  const known = connectors?.find(({ name }) => name === server)?.tools.find(({ name }) => name === tool)
  if (ended !== undefined || known === undefined) return undefined
  const { fingerprint } = known
  if (isListed(grant)) return { server, list: permissionOf(grant, 'allow', fingerprint) }
  const { bot, chat_id: chatId, ends_at, rule } = limits
  if (bot === null) return undefined
  const minutes = ends_at === undefined ? undefined : Math.floor((Date.parse(ends_at) - now) / 60_000)
  if (minutes !== undefined && minutes < 1) return undefined
  return {
    server,
    grant: {
      server,
      tool,
      fingerprint,
      ...(bot !== undefined && { bot }),
      ...(chatId !== undefined && { chatId }),
      ...(minutes !== undefined && { minutes }),
      ...(rule !== undefined && { rule }),
    },
  }
}

function permissionOf(
  { tool }: Grant,
  permission: 'allow' | 'ask' | 'block',
  fingerprint?: string,
): PermissionsInput {
  return { tools: [{ name: tool, permission, ...(fingerprint !== undefined && { fingerprint }) }] }
}

function without(list: GrantList | undefined, isRemoved: (grant: Grant) => boolean): GrantList | undefined {
  return list && { ...list, grants: list.grants.filter((grant) => !isRemoved(grant)) }
}
