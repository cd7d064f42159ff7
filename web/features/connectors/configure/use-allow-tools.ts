import type { Connector, ConnectorInput, ConnectorTool } from '@yonder/contract/connector'
import { toConnectorInput } from '@yonder/contract/connector-input'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { connectorAddress } from '../connector-address.ts'
import { connectorsKey } from '../connectors-key.ts'
import { replaceConnector } from '../replace-connector.ts'

export interface AllowChange {
  /** Makes the new list of the stored one; null lets every tool run. */
  readonly change: (now: readonly string[] | null) => readonly string[] | null
  /** Those that the person allows as they see them here; others stay allowed as they were. */
  readonly seen: readonly ConnectorTool[]
}

/**
 * Says which tools of a connector run without asking, and tells how it went (§7.16, §8.21, §8.32). Answers whether it is
 * stored.
 */
export function useAllowTools(): (connector: Connector, change: AllowChange) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (connector, change) => {
    const { name } = connector
    try {
      // Read again: what was allowed elsewhere since this list was read must not be taken back.
      const connectors = await api.get<readonly Connector[]>(connectorsKey)
      if (connectors === undefined) return false
      const stored = connectors.find((other) => other.name === name) ?? connector
      const changed = await api.put<Connector>(connectorAddress(name), inputOf(stored, change))
      if (changed === undefined) return false
      void mutate<readonly Connector[]>(connectorsKey, (list) => replaceConnector(list, name, changed))
      toast.success(`Allow tools updated successfully for "${name}"`)
      return true
    } catch (error) {
      const message = `Failed to update allow tools: ${readReason(error)}`
      toast.error(message)
      logError(message, error)
      // A tool may have changed since it was shown: here it is as it is now.
      void mutate(connectorsKey)
      return false
    }
  }
}

/** The whole connector with another list. A tool that is new on it is named with what was seen of it. */
function inputOf(connector: Connector, { change, seen }: AllowChange): ConnectorInput {
  const names = change(connector.allow_tools)
  return {
    ...toConnectorInput(connector),
    allow_tools: names === null ? null : [...names],
    tool_fingerprints: Object.fromEntries(seen.map((tool) => [tool.name, tool.fingerprint])),
  }
}
