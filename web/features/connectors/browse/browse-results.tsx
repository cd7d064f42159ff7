import type { BrowseServer, Connector } from '@yonder/contract/connector'
import { useDeferredValue, useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'
import { SearchInput } from '../../../ui/form/text-input.tsx'
import { BrowseEntry } from './browse-entry.tsx'
import { searchCatalogue } from './search-catalogue.ts'

/** Entries that are drawn at first, and more with each 'Show more': the catalogue may hold thousands. */
const pageSize = 40

export interface BrowseResultsProps {
  /** Undefined while they are being read: the box is there already. */
  readonly servers: readonly BrowseServer[] | undefined
  readonly connectors: readonly Connector[]
  readonly onAdd: (server: BrowseServer) => Promise<void>
}

/** The entries of the catalogue, narrowed by words. */
export function BrowseResults({ servers, connectors, onAdd }: BrowseResultsProps) {
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
          {/* As wide as the dialog: what scrolls cuts off the focus rings at its sides. */}
          <div className="-mx-5 mt-2 min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 sm:-mx-6 sm:px-6">
            {found.length === 0 ? (
              <p className="px-6 py-12 text-center text-sm text-muted wrap-anywhere">
                {servers.length === 0
                  ? 'The catalogue is empty.'
                  : `No connectors found matching "${search.trim()}"`}
              </p>
            ) : (
              <Entries found={found.slice(0, shown)} connectors={connectors} onAdd={onAdd} />
            )}
            {found.length > shown && (
              <div className="my-3">
                <Button size="small" onClick={() => setShown(shown + pageSize)}>
                  Show more ({found.length - shown})
                </Button>
              </div>
            )}
          </div>
        </>
      )}
    </>
  )
}

function Entries({
  found,
  connectors,
  onAdd,
}: Pick<BrowseResultsProps, 'connectors' | 'onAdd'> & { readonly found: readonly BrowseServer[] }) {
  const added = new Set(connectors.map(({ url }) => url))
  return (
    <ul aria-label="Available connectors" className="divide-y divide-line">
      {found.map((server) => (
        <BrowseEntry
          key={server.uuid}
          server={server}
          isAdded={added.has(server.server_url)}
          onAdd={async () => onAdd(server)}
        />
      ))}
    </ul>
  )
}

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'connector' : 'connectors'}`
}
