import type { Connector } from '@yonder/contract/connector'
import useSWR from 'swr'
import { connectorsKey } from './connectors-key.ts'

/** The person's connectors with their tools, the default ones first (§7.14). */
export function useConnectorList() {
  return useSWR<readonly Connector[], Error>(connectorsKey)
}
