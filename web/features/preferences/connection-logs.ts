import { createStoredValue } from '../../lib/browser-storage.ts'

/** Whether chats show the logs of connections to tool servers (§1.10, §3.22); off by default (§9.14, §13.22). */
export const connectionLogsPreference = createStoredValue('showMcpLogs', (text) => text === 'true')
