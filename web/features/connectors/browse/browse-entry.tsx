import type { BrowseServer } from '@yonder/contract/connector'
import { Check } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'

export interface BrowseEntryProps {
  readonly server: BrowseServer
  readonly isAdded: boolean
  /** Ends when it is added, or could not be. */
  readonly onAdd: () => Promise<void>
}

/** One entry of the catalogue (§2.66). */
export function BrowseEntry({ server, isAdded, onAdd }: BrowseEntryProps) {
  const id = useId()
  const [busy, setBusy] = useState(false)

  const add = async () => {
    setBusy(true)
    await onAdd()
    setBusy(false)
  }

  return (
    <li className="flex items-start gap-4 py-3">
      <div className="min-w-0 flex-1 text-xs text-muted wrap-anywhere">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <bdi id={id} className="text-sm font-medium text-ink">
            {server.title || server.name}
          </bdi>
          {server.author_name !== '' && <span>by {server.author_name}</span>}
        </p>
        {server.description !== '' && <p className="mt-0.5 text-sm text-muted">{server.description}</p>}
        <p className="mt-1">Config: {server.config_name}</p>
        {server.needs_token && !isAdded && <p>It wants a token of yours.</p>}
      </div>
      {isAdded ? (
        <p className="inline-flex h-8 shrink-0 items-center gap-1.5 px-3 text-sm text-muted">
          <Check size={14} aria-hidden />
          Added
        </p>
      ) : (
        <Button size="small" busy={busy} aria-describedby={id} onClick={() => void add()}>
          {busy ? 'Adding...' : 'Add'}
        </Button>
      )}
    </li>
  )
}
