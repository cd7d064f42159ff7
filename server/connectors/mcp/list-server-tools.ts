import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { joinPages, readPage, type ToolPage, type ToolReading } from '../tools/read-tools.ts'
import type { ServerConnection } from './server-connection.ts'

export interface ServerTools extends ToolReading {
  /** The lifetime of the list in milliseconds, or null when the server sent none. */
  readonly ttlMs: number | null
}

/**
 * Requests the pages of a server's list of tools, until the last page or until they contain more tools than are stored.
 * `url` is the connector's address, which is part of the fingerprints of its tools.
 * @throws AppError `upstream_invalid` when the server offers no tools or has too many pages
 */
export async function listServerTools(
  connection: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
): Promise<ServerTools> {
  if (connection.client.getServerCapabilities()?.tools === undefined) {
    throw new AppError('upstream_invalid', 'The server offers no tools.')
  }
  connection.resetLimits(limits.maxListBytes)
  const { pages, isWhole, ttlMs } = await withTimeout(signal, limits.listTimeoutMs, (listSignal) =>
    readPages(connection, url, limits, listSignal),
  )
  return { ...joinPages(pages, limits, isWhole), ttlMs }
}

async function readPages(
  { client, responses }: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
) {
  const pages: ToolPage[] = []
  let cursor: string | undefined
  let ttlMs: number | null = null
  for (let page = 0; ; page++) {
    if (page === limits.maxListPages) {
      throw new AppError(
        'upstream_invalid',
        `The server's list of tools has more than ${limits.maxListPages} pages.`,
      )
    }
    const response = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { timeout: limits.listPageTimeoutMs, signal },
    )
    // The SDK has read the pages of a server in this process.
    pages.push(responses.takePage() ?? readPage(response.tools, url, limits))
    const count = pages.reduce((sum, each) => sum + each.count, 0)
    ttlMs ??= readTtlMs(response)
    const isWhole = response.nextCursor === undefined || response.nextCursor === cursor
    if (isWhole || count > limits.maxTools) return { pages, isWhole, ttlMs }
    cursor = response.nextCursor
  }
}

function readTtlMs(response: object): number | null {
  const ttlMs: unknown = 'ttlMs' in response ? response.ttlMs : undefined
  return typeof ttlMs === 'number' && Number.isFinite(ttlMs) ? ttlMs : null
}
