import type { OwnShare } from '@yonder/contract/share'
import { ExternalLink } from 'lucide-react'
import { useId } from 'react'
import { shareAddress } from '../../data/shares.ts'
import { Button } from '../../ui/button/button.tsx'
import { CopyButton } from '../../ui/button/copy-button.tsx'

export interface ShareRowProps {
  readonly share: OwnShare
  readonly onRevoke: () => void
}

/** One of the user's share links, which can be opened, copied and revoked. */
export function ShareRow({ share, onRevoke }: ShareRowProps) {
  const linkId = useId()
  const address = shareAddress(share.id)
  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <a
          id={linkId}
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex max-w-full items-center gap-1.5 text-sm font-medium underline-offset-4 hover:underline"
        >
          <bdi className="truncate">{share.title === '' ? 'Shared chat' : share.title}</bdi>
          <ExternalLink size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
        <p className="text-xs text-muted tabular-nums">
          Shared <time dateTime={share.created_at}>{toDate(share.created_at)}</time>
        </p>
      </div>
      {/* The last button has no border, so its text is aligned with the edge of the list. */}
      <div className="-mr-3 flex shrink-0 items-center gap-1">
        <CopyButton title="Copy link" text={address} />
        <Button size="small" look="plain" aria-describedby={linkId} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
    </li>
  )
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

function toDate(timestamp: string): string {
  return dates.format(new Date(timestamp))
}
