/** The cache keys of data that several features load. Each key is the path of the request. */
export const botsKey = '/api/bots'
export const connectorsKey = '/api/mcp-servers'
export const integrationsKey = '/api/integrations'
/** The first part of the key of each page of the chat list. The query of the page follows. */
export const chatListKey = '/api/chats'
export const sharesKey = '/api/shares'
