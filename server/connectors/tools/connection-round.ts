import { formatToolCount } from '@yonder/contract/describe-left-out'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ModelTools } from './offer-tools.ts'

/**
 * A line of the connection log; `server` is the connector's name, and empty in lines about all connectors. The
 * lines before a reply are a round, from the first 'connecting' to the one with `finished`.
 */
export interface ConnectionStatus {
  readonly status: 'connecting' | 'connected' | 'error' | 'info' | 'summary'
  readonly server: string
  readonly message: string
  /** Set on the last line before a reply. */
  readonly finished?: true
}

export type OnStatus = (status: ConnectionStatus) => void

/** Reports the beginning of a round. */
export function reportConnecting(connectors: readonly ConnectorRow[], onStatus: OnStatus): void {
  for (const { name } of connectors)
    onStatus({ status: 'connecting', server: name, message: `Connecting to ${name}` })
}

/** Reports a connector whose list of tools is used: as connected, unless its calls fail. */
export function reportUsable(
  { name, call_error }: Pick<ConnectorRow, 'name' | 'call_error'>,
  toolCount: number,
  onStatus: OnStatus,
): void {
  if (call_error === null)
    onStatus({ status: 'connected', server: name, message: formatToolCount(toolCount) })
  else onStatus({ status: 'error', server: name, message: call_error })
}

/** Reports the end of a round. */
export function reportSummary(
  { ready, all }: { readonly ready: number; readonly all: number },
  { tools, notices }: Pick<ModelTools, 'tools' | 'notices'>,
  onStatus: OnStatus,
): void {
  for (const notice of notices) onStatus({ status: 'info', server: '', message: notice })
  const message = `${ready} of ${all} connectors are ready, with ${formatToolCount(tools.length)}.`
  onStatus({ status: 'summary', server: '', message, finished: true })
}

/**
 * Reports a round that waits for no server: the stored lists of the `known` connectors are used, and the others are
 * paused after a failure.
 */
export function reportStoredRound(
  connectors: readonly ConnectorRow[],
  known: readonly ConnectorRow[],
  offered: ModelTools,
  onStatus: OnStatus,
): void {
  if (connectors.length === 0) return
  const counts = new Map<string, number>()
  for (const { name } of offered.tools) {
    const connector = offered.resolve(name)?.connectorId ?? ''
    counts.set(connector, (counts.get(connector) ?? 0) + 1)
  }
  reportConnecting(connectors, onStatus)
  for (const connector of connectors) {
    const { id, name, error_message } = connector
    if (known.includes(connector)) reportUsable(connector, counts.get(id) ?? 0, onStatus)
    else
      onStatus({
        status: 'error',
        server: name,
        message: error_message ?? 'Its tools could not be listed yet.',
      })
  }
  const ready = known.filter(({ call_error }) => call_error === null).length
  reportSummary({ ready, all: connectors.length }, offered, onStatus)
}
