import { Switch } from '../../ui/form/switch.tsx'
import { logsPreference } from './logs-preference.ts'
import { useLogsPreference } from './use-logs-preference.ts'

/** Shows connection logs in chats, or not (§1.10). */
export function LogsSwitch() {
  return <Switch label="Connection logs" checked={useLogsPreference()} onChange={logsPreference.choose} />
}
