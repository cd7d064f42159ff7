import { AppError } from '../../lib/app-error.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ServerConnection } from './server-connection.ts'
import { readTools } from './read-tools.ts'
import type { ToolReading } from './read-tools.ts'

export interface ServerTools extends ToolReading {
  /** The lifetime of the list in milliseconds, or null when the server sent none. */
  readonly ttl: number | null
}

/**
 * Requests all pages of a server's list of tools. `url` is the connector's address, which is part of each fingerprint.
 */
export async function listServerTools(
  connection: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
): Promise<ServerTools> {
  const { client, results } = connection
  if (client.getServerCapabilities()?.tools === undefined) {
    throw new AppError('upstream_invalid', 'The server has no tools.')
  }
  connection.allow(limits.maxListBytes)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.listTimeoutMs)])
  const listed: unknown[] = []
  let cursor: string | undefined
  let ttl: number | null = null
  for (let page = 0; ; page++) {
    if (page === limits.maxListPages) {
      throw new AppError(
        'upstream_invalid',
        `The server's list of tools has more than ${limits.maxListPages} pages.`,
      )
    }
    const response = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { timeout: limits.listPageTimeoutMs, signal: deadline },
    )
    // Not `push(...tools)`: a server may send more tools than a function can have arguments.
    for (const tool of results.takeTools()) listed.push(tool)
    ttl ??= readTtl(response)
    if (
      response.nextCursor === undefined ||
      response.nextCursor === cursor ||
      listed.length > limits.maxTools
    )
      break
    cursor = response.nextCursor
  }
  return { ...readTools(listed, url, limits), ttl }
}

function readTtl(response: object): number | null {
  const ttl: unknown = 'ttlMs' in response ? response.ttlMs : undefined
  return typeof ttl === 'number' && Number.isFinite(ttl) ? ttl : null
}
