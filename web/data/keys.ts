/** The cache keys of data that several features load. Each key is the path of the request. */
export const botsKey = '/api/bots'
export const connectorsKey = '/api/mcp-servers'
export const integrationsKey = '/api/integrations'
/** The keys of the pages of the history begin with it; the parameters of the page follow. */
export const chatListKey = '/api/chats'
export const sharesKey = '/api/shares'
