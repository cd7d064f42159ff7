/** The address of one connector, or of something to do with it. */
export function connectorAddress(name: string, part?: 'connect' | 'disconnect' | 'calls'): string {
  const address = `/api/mcp-server/${encodeURIComponent(name)}`
  return part === undefined ? address : `${address}/${part}`
}
