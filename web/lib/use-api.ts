import { createContext, useContext } from 'react'
import type { ApiClient } from './api-client.ts'

export const ApiContext = createContext<ApiClient | null>(null)

/** The client of the signed-in person. */
export function useApi(): ApiClient {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('useApi must be used within ApiContext')
  return api
}
