import type { BrowseServer, Connector } from '@yonder/contract/connector'
import { useDeferredValue, useState } from 'react'
import { ShowMoreButton } from '../../../ui/button/show-more-button.tsx'
import { SearchInput } from '../../../ui/form/text-input.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'
import type { NewConnector } from '../form/connector-draft.ts'
import { BrowseEntry } from './browse-entry.tsx'

/** How many entries are shown at first, and added by each 'Show more': the catalogue can contain thousands. */
const pageSize = 40

export interface BrowseResultsProps {
  /** Undefined while the catalogue loads; the search box is already shown. */
  readonly servers: readonly BrowseServer[] | undefined
  readonly connectors: readonly Connector[]
  /** Opens the form for a connector that needs a token. */
  readonly onOpenForm: (prefilled: NewConnector) => void
}

/** The entries of the catalogue that match the search. */
export function BrowseResults({ servers, connectors, onOpenForm }: BrowseResultsProps) {
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState(pageSize)
  const found = searchCatalogue(servers ?? [], useDeferredValue(search))
  return (
    <>
      <div className="flex shrink-0 pt-1">
        <SearchInput
          aria-label="Search connectors"
          placeholder="Search connectors..."
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            setShown(pageSize)
          }}
        />
      </div>
      {servers === undefined ? (
        <LoadingState>Loading servers...</LoadingState>
      ) : (
        <>
          <output className="sr-only">{describeCount(found.length)}</output>
          {/* As wide as the dialog, since a scrolling element cuts off the focus rings at its sides. */}
          <div className="-mx-5 mt-2 min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 sm:-mx-6 sm:px-6">
            {found.length === 0 ? (
              <p className="px-6 py-12 text-center text-sm text-muted wrap-anywhere">
                {servers.length === 0
                  ? 'The catalogue is empty.'
                  : `No connectors found matching "${search.trim()}"`}
              </p>
            ) : (
              <Entries found={found.slice(0, shown)} connectors={connectors} onOpenForm={onOpenForm} />
            )}
            {found.length > shown && (
              <ShowMoreButton onPress={() => setShown(shown + pageSize)}>
                Show more ({found.length - shown})
              </ShowMoreButton>
            )}
          </div>
        </>
      )}
    </>
  )
}

interface EntriesProps extends Pick<BrowseResultsProps, 'connectors' | 'onOpenForm'> {
  readonly found: readonly BrowseServer[]
}

function Entries({ found, connectors, onOpenForm }: EntriesProps) {
  const added = new Set(connectors.map(({ url }) => url))
  const names = connectors.map(({ name }) => name)
  return (
    <ul aria-label="Available connectors" className="divide-y divide-line">
      {found.map((server) => (
        <BrowseEntry
          key={server.uuid}
          server={server}
          isAdded={added.has(server.server_url)}
          usedNames={names}
          onOpenForm={onOpenForm}
        />
      ))}
    </ul>
  )
}

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'connector' : 'connectors'}`
}

/** The entries whose texts contain every word of the search. */
function searchCatalogue(servers: readonly BrowseServer[], search: string): readonly BrowseServer[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return servers
  return servers.filter((server) => {
    const text = [server.title, server.name, server.author_name, server.description, server.config_name]
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
