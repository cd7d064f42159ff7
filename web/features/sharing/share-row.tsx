import type { OwnShare } from '@yonder/contract/share'
import { ExternalLink } from 'lucide-react'
import { shareAddress } from '../../data/shares.ts'
import { formatDay } from '../../lib/format-time.ts'
import { CopyButton } from '../../ui/button/copy-button.tsx'
import { Entry, EntryButton } from '../../ui/entry-list.tsx'

export interface ShareRowProps {
  readonly share: OwnShare
  readonly onRevoke: () => void
}

/** One of the user's share links, which can be opened, copied and revoked. */
export function ShareRow({ share, onRevoke }: ShareRowProps) {
  const address = shareAddress(share.id)
  return (
    <Entry
      name={
        <a
          href={address}
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
        </p>
      }
      actions={
        <>
          <CopyButton title="Copy link" text={address} />
          <EntryButton onClick={onRevoke}>Revoke</EntryButton>
        </>
      }
    />
  )
}
