import type { BrowseServer } from '@yonder/contract/connector'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { readCapped } from '../../lib/read-capped.ts'
import { trimSlashes } from '../../lib/text.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { claimRefresh, findCatalogue, saveCatalogue } from './catalogue-store.ts'
import { readRegistryPage, type RegistryPage } from './read-registry-page.ts'
import { shippedServers } from './shipped-servers.ts'

const refreshIntervalMs = 3_600_000
const pageTimeoutMs = 15_000
const readTimeoutMs = 120_000
const maxPageBytes = 4 * 1_024 * 1_024
const pageSize = 100
const maxPages = 200
const maxServers = 3_000

/**
 * Returns the servers that users can browse, as the JSON of a list of `BrowseServer`: the stored copy of the registry. The copy is refreshed in the background,
 * at most once an hour for the whole installation. Until a refresh has found servers, and without a configured
 * registry, returns the shipped list.
 */
export async function browseServers(deps: ConnectorDeps): Promise<string> {
  const { database, now, onError } = deps
  const { registryUrl } = deps.settings
  if (registryUrl === null) return JSON.stringify(shippedServers)
  const stored = await findCatalogue(database.db, registryUrl)
  if (now() - (stored?.attempted_at ?? 0) >= refreshIntervalMs) {
    void deps.shared.registryReads.run(registryUrl, () => refreshCatalogue(deps, registryUrl).catch(onError))
  }
  // Not parsed, because the list can have megabytes.
  return stored === undefined || stored.servers === '[]' ? JSON.stringify(shippedServers) : stored.servers
}

async function refreshCatalogue(deps: ConnectorDeps, registryUrl: string): Promise<void> {
  const { database, now } = deps
  if (!(await claimRefresh(database.db, registryUrl, now(), refreshIntervalMs))) return
  const servers = await readRegistry(deps, registryUrl)
  if (servers.length > 0) await saveCatalogue(database.db, registryUrl, JSON.stringify(servers), now())
}

async function readRegistry(deps: ConnectorDeps, registryUrl: string): Promise<BrowseServer[]> {
  return withTimeout(deps.closing, readTimeoutMs, async (signal) => {
    const found = new Map<string, BrowseServer>()
    let cursor: string | undefined
    const seen = new Set<string>()
    for (let page = 0; page < maxPages && found.size < maxServers; page++) {
      const url = pageUrl(registryUrl, cursor)
      const read = await withTimeout(signal, pageTimeoutMs, (pageSignal) => readPage(deps, url, pageSignal))
      for (const server of read.servers) if (!found.has(server.uuid)) found.set(server.uuid, server)
      if (read.cursor === undefined || seen.has(read.cursor)) break
      cursor = read.cursor
      seen.add(cursor)
    }
    return [...found.values()].slice(0, maxServers)
  })
}

async function readPage({ guards }: ConnectorDeps, url: string, signal: AbortSignal): Promise<RegistryPage> {
  const headers = { accept: 'application/json' }
  const response = await guards.operatorSupplied.fetch(url, { headers, signal })
  if (!response.ok)
    throw new AppError('upstream_error', `The connector registry returned status ${response.status}.`)
  return readRegistryPage(JSON.parse(await readCapped(response, maxPageBytes)))
}

function pageUrl(registryUrl: string, cursor: string | undefined): string {
  const url = new URL(`${trimSlashes(registryUrl)}/v0.1/servers`)
  url.searchParams.set('limit', String(pageSize))
  url.searchParams.set('version', 'latest')
  if (cursor !== undefined) url.searchParams.set('cursor', cursor)
  return url.href
}
