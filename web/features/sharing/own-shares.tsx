import type { OwnShare } from '@yonder/contract/share'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRevokeShare, useShares } from '../../data/shares.ts'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { SettingsGroup } from '../../ui/form/settings-list.tsx'
import { ShareRow } from './share-row.tsx'

/** The user's share links, which can be opened, copied and revoked. */
export function OwnShares() {
  const group = useRef<HTMLDivElement>(null)
  const revokeShare = useRevokeShare()
  const [revoking, setRevoking] = useState<OwnShare>()
  // Closes only the dialog that sent the request: meanwhile the user can have closed it and opened another.
  const close = () => setRevoking((current) => (current === revoking ? undefined : current))

  const closeAfterRevoke = () => {
    flushSync(close)
    // The focused button was removed with its row.
    group.current?.focus()
  }

  return (
    <div ref={group} tabIndex={-1} className="outline-none">
      <SettingsGroup title="Shared links">
        <ShareList onRevoke={setRevoking} />
      </SettingsGroup>
      {revoking !== undefined && (
        <ConfirmDialog
          title="Revoke Link"
          message="The link will no longer open the chat. Sharing the chat again creates a new link."
          action="Revoke"
          onConfirm={async () => (await revokeShare.run(revoking.id)).done}
          onDone={closeAfterRevoke}
          onCancel={close}
        />
      )}
    </div>
  )
}

function ShareList({ onRevoke }: { readonly onRevoke: (share: OwnShare) => void }) {
  const { data, error } = useShares()
  if (data === undefined)
    return (
      <p className="py-4 text-sm text-muted">
        {error === undefined
          ? 'Loading shared links...'
          : 'Your shared links could not be loaded. Yonder tries again every five seconds.'}
      </p>
    )
  if (data.shares.length === 0)
    return (
      <p className="py-4 text-sm text-muted">
        No shared links yet. To create one, press the share button under a message.
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
