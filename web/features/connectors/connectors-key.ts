/** The address of the list, and its place in the cache of reads. */
export const connectorsKey = '/api/mcp-servers'
