import useSWR from 'swr'

/** The names of all integrations that there are (§7.21). */
export function useIntegrationTypes() {
  return useSWR<readonly string[], Error>('/api/integration/types')
}
