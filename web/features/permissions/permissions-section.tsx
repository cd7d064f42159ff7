import type { Grant, GrantList } from '@yonder/contract/grant'
import { ShieldCheck } from 'lucide-react'
import { useId, useMemo, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { Link } from 'react-router'
import { useConnectors } from '../../data/connectors.ts'
import { isRevoked, useGrants, useRevokeAll, useRevokeGrant } from '../../data/grants.ts'
import { linkToMessage } from '../../data/message-link.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { useRetry } from '../../lib/use-retry.ts'
import { Button } from '../../ui/button/button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { InertText, ToolName } from '../../ui/inert-text.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { EmptyState } from '../../ui/states/states.tsx'
import { describeAddress, describeEnded, describeReach, describeUse } from './describe-grant.ts'

/** The grants whose revocation waits for a confirmation: of one connector, or all. */
interface Revoking {
  readonly server: string | undefined
  readonly count: number
}

/** The Permissions section of settings: what bots may do without asking, and what they may not do. */
export function PermissionsSection() {
  const title = useId()
  const section = useRef<HTMLElement>(null)
  const { data, error, mutate } = useGrants()
  const { retry } = useRetry(() => mutate())
  const [revoking, setRevoking] = useState<Revoking>()
  const revokeAll = useRevokeAll()
  const count = data === undefined ? 0 : countRevoked(data.grants, undefined)
  const close = () => setRevoking(undefined)
  return (
    <section ref={section} aria-labelledby={title} tabIndex={-1} className="outline-none">
      <SettingsHeader id={title} title="Permissions" description="What bots may do without asking you">
        {count > 1 && <Button onClick={() => setRevoking({ server: undefined, count })}>Revoke all…</Button>}
      </SettingsHeader>
      {data !== undefined ? (
        <Grants list={data} section={section} onRevokeAll={setRevoking} />
      ) : error === undefined ? (
        <GrantsSkeleton />
      ) : (
        <ErrorState title="The permissions could not be loaded" onRetry={() => void retry()}>
          {readReason(error)}
        </ErrorState>
      )}
      {revoking !== undefined && (
        <ConfirmDialog
          title={describeQuestion(revoking)}
          message="Your bots ask again from the next call on."
          action="Revoke"
          onConfirm={async () => (await revokeAll.run(revoking.server)).done}
          onDone={() => {
            flushSync(close)
            // The rows are removed, and perhaps the button too.
            if (document.activeElement === document.body) section.current?.focus()
          }}
          onCancel={close}
        />
      )}
    </section>
  )
}

function countRevoked(grants: readonly Grant[], server: string | undefined): number {
  return grants.filter((grant) => isRevoked(grant, server)).length
}

function describeQuestion({ server, count }: Revoking): string {
  return `Revoke all ${count} permissions${server === undefined ? '' : ` of ${server}`}?`
}

interface GrantsProps {
  readonly list: GrantList
  readonly section: RefObject<HTMLElement | null>
  readonly onRevokeAll: (revoking: Revoking) => void
}

function Grants({ list: { grants, unlimited, max_hours }, section, onRevokeAll }: GrantsProps) {
  const groups = useMemo(() => groupByConnector(grants, unlimited), [grants, unlimited])
  const { data: connectors } = useConnectors()
  const revoke = useRevokeGrant(connectors)
  if (groups.length === 0)
    return (
      <EmptyState icon={<ShieldCheck size={22} aria-hidden />} title="Your bots ask before every call.">
        What you allow always, for a time or in one chat is listed here, and can be taken back.
      </EmptyState>
    )
  return (
    <div className="flex flex-col gap-6">
      {max_hours !== null && (
        <p className="text-sm text-muted">
          The operator of this server lets a permission last for {describeHours(max_hours)} at most.
        </p>
      )}
      {groups.map((group) => (
        <ConnectorGrants
          key={group.server}
          group={group}
          isOnly={groups.length === 1}
          section={section}
          onRevoke={(grant) => void revoke.run(grant)}
          onRevokeAll={onRevokeAll}
        />
      ))}
    </div>
  )
}

function describeHours(hours: number): string {
  if (hours % 24 === 0) return hours === 24 ? '1 day' : `${hours / 24} days`
  return hours === 1 ? '1 hour' : `${hours} hours`
}

interface ConnectorGroup {
  readonly server: string
  /** Undefined for a connector without a grant, whose every tool runs. */
  readonly url: string | undefined
  readonly grants: readonly Grant[]
  readonly isUnlimited: boolean
}

function groupByConnector(grants: readonly Grant[], unlimited: readonly string[]): readonly ConnectorGroup[] {
  const groups = new Map<string, Grant[]>(unlimited.map((server) => [server, []]))
  for (const grant of grants) {
    const known = groups.get(grant.server)
    if (known === undefined) groups.set(grant.server, [grant])
    else known.push(grant)
  }
  return [...groups].map(([server, ofServer]) => ({
    server,
    url: ofServer[0]?.url,
    grants: ofServer,
    isUnlimited: unlimited.includes(server),
  }))
}

interface ConnectorGrantsProps {
  readonly group: ConnectorGroup
  /** Whether there is no other connector, so that all its grants are all grants. */
  readonly isOnly: boolean
  readonly section: RefObject<HTMLElement | null>
  readonly onRevoke: (grant: Grant) => void
  readonly onRevokeAll: (revoking: Revoking) => void
}

/** The grants of one connector, under its name and address. */
function ConnectorGrants({ group, isOnly, section, onRevoke, onRevokeAll }: ConnectorGrantsProps) {
  const { server, url, grants, isUnlimited } = group
  const id = useId()
  const count = countRevoked(grants, server)
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h3 id={id} className="min-w-0 text-sm font-medium text-muted wrap-anywhere">
          <bdi>
            <InertText>{server}</InertText>
          </bdi>
          {url !== undefined && <span className="font-normal"> · {describeAddress(url)}</span>}
        </h3>
        {count > 1 && !isOnly && (
          <Button
            size="small"
            look="muted"
            aria-label={`Revoke all of ${server}…`}
            onClick={() => onRevokeAll({ server, count })}
          >
            Revoke all…
          </Button>
        )}
      </div>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface px-4 sm:px-5">
        {isUnlimited && (
          <li className="flex items-center justify-between gap-4 py-3 text-sm">
            <span className="min-w-0 wrap-anywhere">
              Every tool of <bdi>{server}</bdi> runs without asking
            </span>
            <Link
              to={`/settings/connectors?${new URLSearchParams({ configure: server })}`}
              aria-label={`Configure ${server}`}
              className="touch-target shrink-0 font-medium text-accent underline-offset-4 hover:underline"
            >
              Configure
            </Link>
          </li>
        )}
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} section={section} onRevoke={onRevoke} />
        ))}
      </ul>
    </section>
  )
}

interface GrantRowProps {
  readonly grant: Grant
  readonly section: RefObject<HTMLElement | null>
  readonly onRevoke: (grant: Grant) => void
}

/** One grant: the tool, how far it goes, since when and how often it was used, and the button that takes it back. */
function GrantRow({ grant, section, onRevoke }: GrantRowProps) {
  const id = useId()
  const row = useFocusAfterRemoval<HTMLLIElement>((removed) => focusNextRow(removed, section.current))
  const { permission, title, tool } = grant
  const ended = describeEnded(grant)
  return (
    <li ref={row} data-grant="" className="flex items-center justify-between gap-4 py-3 text-sm">
      <div className="min-w-0 flex-1">
        <h4 id={id} className="font-medium wrap-anywhere">
          <bdi>
            <ToolName>{title ?? tool}</ToolName>
          </bdi>
        </h4>
        {ended !== undefined ? (
          <p className="text-warning wrap-anywhere">{ended}</p>
        ) : permission === 'block' ? (
          <p className="text-danger">Blocked</p>
        ) : (
          <Reach grant={grant} />
        )}
        <p className="text-xs text-muted tabular-nums">{describeUse(grant).join(' · ')}</p>
      </div>
      <Button size="small" look="muted" aria-describedby={id} onClick={() => onRevoke(grant)}>
        {ended !== undefined ? 'Remove' : permission === 'block' ? 'Unblock' : 'Revoke'}
      </Button>
    </li>
  )
}

/** How far a grant goes, in a sentence. */
function Reach({ grant }: Pick<GrantRowProps, 'grant'>) {
  const { before, inChat, after, rule, bot } = describeReach(grant)
  const { chat_id: chatId = '' } = grant.limits
  return (
    <p className="text-muted wrap-anywhere">
      {before}
      {inChat && (
        <>
          {' '}
          <Link to={linkToMessage(chatId, undefined)} className="underline underline-offset-4 hover:text-ink">
            <bdi>{grant.chat_title ?? 'New Chat'}</bdi>
          </Link>
        </>
      )}
      {after}
      {rule !== undefined && (
        <>
          , with{' '}
          <bdi className="font-mono text-xs text-ink">
            <InertText>{rule.argument}</InertText>
          </bdi>{' '}
          {rule.test === 'equals' ? '=' : 'beginning with'}{' '}
          <bdi className="font-mono text-xs text-ink">
            <InertText>{rule.value}</InertText>
          </bdi>
        </>
      )}
      {' · '}
      <bdi>{bot}</bdi>
    </p>
  )
}

/** Focuses the button of the row after a removed one, else of the row before, else the section. */
function focusNextRow(removed: HTMLElement, section: HTMLElement | null): void {
  const rows = [...(section?.querySelectorAll<HTMLElement>('[data-grant]') ?? [])]
  const at = rows.indexOf(removed)
  const next = (rows[at + 1] ?? rows[at - 1])?.querySelector<HTMLElement>('button')
  ;(next ?? section)?.focus()
}

function GrantsSkeleton() {
  return (
    <output className="flex flex-col gap-6">
      <span className="sr-only">Loading the permissions</span>
      {['h-48', 'h-32'].map((size) => (
        <span key={size} className="flex flex-col gap-2">
          <Skeleton size="h-4 w-20" />
          <Skeleton shape="block" size={size} />
        </span>
      ))}
    </output>
  )
}
