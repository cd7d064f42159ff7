import type { BrowseServer } from '@yonder/contract/connector'

/** The entries in whose texts every word of a search occurs. */
export function searchCatalogue(servers: readonly BrowseServer[], search: string): readonly BrowseServer[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return servers
  return servers.filter((server) => {
    const text = [server.title, server.name, server.author_name, server.description, server.config_name]
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
