import type { OwnShare } from '@yonder/contract/share'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { SettingsGroup } from '../../ui/form/settings-list.tsx'
import { RevokeShareDialog } from './revoke-share-dialog.tsx'
import { ShareRow } from './share-row.tsx'
import { useOwnShares } from './use-own-shares.ts'
import { useRevokeShare } from './use-revoke-share.ts'

/** The links that a person has made, to open, copy and revoke. */
export function OwnShares() {
  const group = useRef<HTMLDivElement>(null)
  const revokeShare = useRevokeShare()
  const [revoking, setRevoking] = useState<OwnShare>()
  const close = () => setRevoking(undefined)

  const closeAfterRevoke = () => {
    flushSync(close)
    // The button that had the focus goes with its row.
    group.current?.focus()
  }

  return (
    <div ref={group} tabIndex={-1} className="outline-none">
      <SettingsGroup title="Shared links">
        <ShareList onRevoke={setRevoking} />
      </SettingsGroup>
      {revoking !== undefined && (
        <RevokeShareDialog
          onRevoke={() => revokeShare(revoking.id)}
          onRevoked={closeAfterRevoke}
          onCancel={close}
        />
      )}
    </div>
  )
}

function ShareList({ onRevoke }: { readonly onRevoke: (share: OwnShare) => void }) {
  const { data, error } = useOwnShares()
  if (data === undefined)
    return (
      <p className="py-4 text-sm text-muted">
        {error === undefined ? 'Loading shared links...' : 'Error loading shared links'}
      </p>
    )
  if (data.shares.length === 0)
    return (
      <p className="py-4 text-sm text-muted">
        No shared links yet. The share button under a message makes one.
      </p>
    )
  return (
    <ul className="divide-y divide-line">
      {data.shares.map((share) => (
        <ShareRow key={share.id} share={share} onRevoke={() => onRevoke(share)} />
      ))}
    </ul>
  )
}
