import { createStoredValue } from '../../lib/browser-storage.ts'

/** Whether chats show the logs of connections to tool servers; off by default. */
export const connectionLogsPreference = createStoredValue('showMcpLogs', (text) => text === 'true')
