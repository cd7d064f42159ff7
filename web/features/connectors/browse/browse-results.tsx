import type { BrowseServer, Connector } from '@yonder/contract/connector'
import { matchesSearch } from '@yonder/contract/lib/fold-text'
import { Check } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { useSaveConnector } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ShowMoreButton } from '../../../ui/button/show-more-button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { SearchInput } from '../../../ui/form/text-input.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'
import { inputOfNew, nameNewConnector, type NewConnector } from '../form/connector-draft.ts'

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
  const added = new Set(connectors.map(({ url }) => url))
  const names = connectors.map(({ name }) => name)
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
              <ul aria-label="Available connectors" className="divide-y divide-line">
                {found.slice(0, shown).map((server) => (
                  <BrowseEntry
                    key={server.uuid}
                    server={server}
                    isAdded={added.has(server.server_url)}
                    usedNames={names}
                    onOpenForm={onOpenForm}
                  />
                ))}
              </ul>
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

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'connector' : 'connectors'}`
}

/** The entries whose texts contain every word of the search. */
function searchCatalogue(servers: readonly BrowseServer[], search: string): readonly BrowseServer[] {
  const matches = matchesSearch(search)
  return servers.filter(({ title, name, author_name, description, config_name }) =>
    matches([title, name, author_name, description, config_name].join('\n')),
  )
}

interface BrowseEntryProps {
  readonly server: BrowseServer
  readonly isAdded: boolean
  /** The names of the user's connectors. */
  readonly usedNames: readonly string[]
  /** Opens the form, for a connector that needs a token. */
  readonly onOpenForm: (prefilled: NewConnector) => void
}

/** One entry of the catalogue. */
function BrowseEntry({ server, isAdded, usedNames, onOpenForm }: BrowseEntryProps) {
  const id = useId()
  const create = useSaveConnector(undefined, 'add')

  const secrets = (server.headers ?? []).filter(({ value }) => value === '')
  const needed = [...(server.needs_token ? ['a token'] : []), ...secrets.map(({ name }) => name)].join(
    ' and ',
  )

  const add = () => {
    const newConnector = { name: nameNewConnector(server, usedNames), url: server.server_url }
    const { headers } = server
    if (server.needs_token || headers !== undefined)
      onOpenForm({ ...newConnector, ...(headers === undefined ? {} : { headers }) })
    else void create.run(inputOfNew(newConnector))
  }

  return (
    <li tabIndex={-1} className="flex items-start gap-4 py-3">
      <div className="min-w-0 flex-1 text-xs text-muted wrap-anywhere">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <bdi id={id} className="text-sm font-medium text-ink">
            {server.title || server.name}
          </bdi>
          {server.author_name !== '' && <span>by {server.author_name}</span>}
        </p>
        {server.description !== '' && <p className="mt-0.5 text-sm text-muted">{server.description}</p>}
        <p className="mt-1">Config: {server.config_name}</p>
        {needed !== '' && !isAdded && <p>You need {needed} to connect it.</p>}
      </div>
      {isAdded ? (
        <p className="inline-flex h-8 shrink-0 items-center gap-1.5 px-3 text-sm text-muted">
          <Check size={14} aria-hidden />
          Added
        </p>
      ) : (
        <AddButton pending={create.pending} describedBy={id} onPress={add} />
      )}
    </li>
  )
}

interface AddButtonProps {
  readonly pending: boolean
  readonly describedBy: string
  readonly onPress: () => void
}

function AddButton({ pending, describedBy, onPress }: AddButtonProps) {
  const button = useFocusAfterRemoval<HTMLButtonElement>((removed) => removed.closest('li')?.focus())
  return (
    <Button ref={button} size="small" busy={pending} aria-describedby={describedBy} onClick={onPress}>
      {pending ? 'Adding...' : 'Add'}
    </Button>
  )
}
