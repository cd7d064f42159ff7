import type { BrowseServer } from '@yonder/contract/connector'
import useSWR from 'swr'

/** The catalogue of connectors that can be added (§7.19). */
export function useBrowseList() {
  return useSWR<{ readonly servers: readonly BrowseServer[] }, Error>('/api/browse-connectors')
}
