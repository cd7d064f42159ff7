import { useSyncExternalStore } from 'react'
import { logsPreference } from './logs-preference.ts'

export function useLogsPreference(): boolean {
  return useSyncExternalStore(logsPreference.subscribe, logsPreference.isOn)
}
