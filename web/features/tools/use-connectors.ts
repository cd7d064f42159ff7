import type { Connector } from '@yonder/contract/connector'
import useSWR from 'swr'

/** The address of the list, and its place in the cache of reads. */
export const connectorsKey = '/api/mcp-servers'

/** The person's connectors with their tools (§7.14), read anew for each call that asks: a tool may have changed just now. */
export function useConnectors() {
  return useSWR<readonly Connector[], Error>(connectorsKey, { revalidateOnMount: true, dedupingInterval: 0 })
}
