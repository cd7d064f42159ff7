/** The cache keys of data that several features load. Each key is the path of the request. */
export const botsKey = '/api/bots'
export const connectorsKey = '/api/mcp-servers'
export const integrationsKey = '/api/integrations'
export const sharesKey = '/api/shares'
