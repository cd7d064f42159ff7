/** The reads that several features share: each key is the path that is read. */
export const botsKey = '/api/bots'
export const connectorsKey = '/api/mcp-servers'
export const integrationsKey = '/api/integrations'
export const sharesKey = '/api/shares'
