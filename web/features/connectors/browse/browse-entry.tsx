import type { BrowseServer } from '@yonder/contract/connector'
import { Check } from 'lucide-react'
import { useId } from 'react'
import { useSaveConnector } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { inputOfNew, nameNewConnector, type NewConnector } from '../form/connector-draft.ts'

export interface BrowseEntryProps {
  readonly server: BrowseServer
  readonly isAdded: boolean
  /** The names of the user's connectors. */
  readonly usedNames: readonly string[]
  /** Opens the form, for a connector that needs a token. */
  readonly onOpenForm: (prefilled: NewConnector) => void
}

/** One entry of the catalogue. */
export function BrowseEntry({ server, isAdded, usedNames, onOpenForm }: BrowseEntryProps) {
  const id = useId()
  const create = useSaveConnector(undefined, 'add')

  const add = () => {
    const newConnector = { name: nameNewConnector(server, usedNames), url: server.server_url }
    if (server.needs_token) onOpenForm(newConnector)
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
        {server.needs_token && !isAdded && <p>You need a token to connect it.</p>}
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
