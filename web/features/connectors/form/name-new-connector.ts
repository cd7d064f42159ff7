import type { BrowseServer } from '@yonder/contract/connector'

/**
 * The name of a connector from the catalogue: its title, and as much more as tells it from those that a person has. Names
 * in the catalogue itself are addresses ("com.example/mcp"), whose last part is often the same.
 */
export function nameNewConnector(server: BrowseServer, taken: readonly string[]): string {
  const known = new Set(taken.map((name) => name.toLowerCase()))
  const title = server.title || server.name
  const names = [title, `${title} (${server.author_name})`]
  return names.find((name) => !known.has(name.toLowerCase())) ?? server.config_name
}
