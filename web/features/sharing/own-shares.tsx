import type { OwnShare } from '@yonder/contract/share'
import { ExternalLink } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { shareAddress, useRevokeShare, useShareFiles, useShares } from '../../data/shares.ts'
import { formatDay } from '../../lib/format-time.ts'
import { CopyButton } from '../../ui/button/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { Entry, EntryButton } from '../../ui/entry-list.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { SettingsGroup } from '../../ui/form/settings-list.tsx'

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
  const shareFiles = useShareFiles()
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
        <Entry
          key={share.id}
          stacks={share.files}
          name={
            <a
              href={shareAddress(share.id)}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex max-w-full items-center gap-1.5 underline-offset-4 hover:underline"
            >
              <bdi className="truncate">{share.title === '' ? 'Shared chat' : share.title}</bdi>
              <ExternalLink size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="sr-only">(opens in a new tab)</span>
            </a>
          }
          detail={
            <p className="tabular-nums">
              Shared <time dateTime={share.created_at}>{formatDay(new Date(share.created_at))}</time>
              {share.files && ', with its files'}
            </p>
          }
          actions={
            <>
              <CopyButton title="Copy link" text={shareAddress(share.id)} />
              {share.files && (
                <WithholdButton onPress={() => void shareFiles.run({ id: share.id, files: false })} />
              )}
              <EntryButton onClick={() => onRevoke(share)}>Revoke</EntryButton>
            </>
          }
        />
      ))}
    </ul>
  )
}

/** It is removed when the files are withheld; then the next button has the focus. */
function WithholdButton({ onPress }: { readonly onPress: () => void }) {
  const button = useFocusAfterRemoval<HTMLButtonElement>(({ nextElementSibling }) => {
    if (nextElementSibling instanceof HTMLElement) nextElementSibling.focus()
  })
  return (
    <EntryButton ref={button} onClick={onPress}>
      Withhold files
    </EntryButton>
  )
}
