import type { ToolCallList } from '@yonder/contract/connector'
import type { Inbox as InboxContent } from '@yonder/contract/inbox'
import { Inbox } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useBots } from '../../data/bots.ts'
import { useInbox } from '../../data/inbox.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { useApi } from '../../lib/api/api-provider.tsx'
import { logError } from '../../lib/log-error.ts'
import { useRetry } from '../../lib/use-retry.ts'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { EmptyState } from '../../ui/states/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { explainRunFailure, RunRefusedError } from '../chat/session/request-run.ts'
import type { EditedArguments } from '../tools/call/decide-call.ts'
import { DecidedCalls } from './decided-calls.tsx'
import { decisionNames } from './describe-decision.ts'
import { changeEntry, mergeInbox, withRecords, type Decision, type InboxEntry } from './inbox-entries.ts'
import { InboxRow } from './inbox-row.tsx'
import { sendApproval, sendDenial } from './send-decision.ts'

type Tab = 'waiting' | 'decided'

/** The page of all calls and questions that wait for the user, and of what was decided. */
export function InboxView() {
  const [tab, setTab] = useState<Tab>('waiting')
  const { data, error, mutate } = useInbox()
  const { retry } = useRetry(() => mutate())
  const waiting = useWaiting(data)
  const unlisted = data === undefined ? 0 : data.total - data.items.length
  const undecided = waiting.entries.filter(({ end }) => end === undefined || end.kind === 'failed')
  const count = undecided.length + unlisted
  const names = { waiting: count === 0 ? 'Waiting' : `Waiting ${count}`, decided: 'Decided' }
  return (
    <div className="mx-auto flex w-full max-w-column flex-wrap items-center justify-between gap-5 px-4 pt-6 pb-10 sm:px-6 sm:pt-8">
      <h1 className="text-xl font-semibold">Inbox</h1>
      <Tabs label="Inbox" names={names} selected={tab} onSelect={setTab}>
        {tab === 'decided' ? (
          <DecidedCalls />
        ) : data !== undefined ? (
          <Waiting waiting={waiting} unlisted={unlisted} />
        ) : error === undefined ? (
          <WaitingSkeleton />
        ) : (
          <div className="w-full">
            <ErrorState title="The inbox could not be loaded." onRetry={() => void retry()}>
              {readReason(error)}
            </ErrorState>
          </div>
        )}
      </Tabs>
    </div>
  )
}

type WaitingEntries = ReturnType<typeof useWaiting>

/** Shows by `show` that an entry is decided, and moves on to the next one. */
type Fold = (show: () => void) => void

/** The entries, which stay until the page is left, and the decisions about them. */
function useWaiting(data: InboxContent | undefined) {
  const api = useApi()
  const { data: bots } = useBots()
  const [entries, setEntries] = useState<readonly InboxEntry[]>([])
  const [merged, setMerged] = useState<InboxContent>()
  /** The keys of entries whose edited arguments the server is checking. */
  const [checked, setChecked] = useState<readonly string[]>([])
  /** What a screen reader announces. */
  const [news, setNews] = useState('')
  if (data !== undefined && data !== merged) {
    setMerged(data)
    const next = mergeInbox(entries, data)
    setEntries(next)
    const added = next.length - entries.length
    if (merged !== undefined && added > 0) setNews(`${added} new, at the end of the list`)
  }
  const change = (key: string, part: Partial<InboxEntry>) =>
    setEntries((current) => changeEntry(current, key, part))

  const lookUp = async () => {
    const records = await api.get<ToolCallList>('/api/tool-calls?limit=100').catch((error: unknown) => {
      logError('What was decided could not be read (/api/tool-calls)', error)
      return undefined
    })
    setEntries((current) => withRecords(current, records?.calls ?? []))
    return records?.calls ?? []
  }
  const isLookedFor = entries.some(({ end }) => end?.kind === 'gone' && end.record === undefined)
  useEffect(() => {
    if (isLookedFor) void lookUp()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for all that are gone
  }, [isLookedFor])

  const fail = async ({ key, item }: InboxEntry, failure: string, error: unknown) => {
    logError(failure, error)
    const reason = explainRunFailure(failure, error)
    const isLate = error instanceof RunRefusedError && error.status === 409
    const record = isLate
      ? (await lookUp()).find(({ message_id }) => message_id === item.message.id)
      : undefined
    change(key, { end: record === undefined ? { kind: 'failed', reason } : { kind: 'gone', record } })
  }

  const botOf = ({ item }: InboxEntry) => bots?.find(({ name }) => name === item.message.bot) ?? bots?.[0]
  const end = (key: string, decision: Decision, isSent: boolean) =>
    change(key, { end: { kind: 'decided', decision, at: Date.now(), isSent } })

  const decide = async (entry: InboxEntry, decision: Decision, fold: Fold, send: () => Promise<void>) => {
    const { tool = '', call } = entry.item.message
    fold(() => {
      end(entry.key, decision, false)
      setNews(`${call?.title ?? tool}: ${decisionNames[decision]}`)
    })
    try {
      await send()
      end(entry.key, decision, true)
    } catch (error) {
      const isDenial = decision === 'denied' || decision === 'denied_with_reason'
      await fail(entry, `The call could not be ${isDenial ? 'denied' : 'approved'}`, error)
    }
  }

  /** The entry folds when the server has accepted the arguments. */
  const allowEdited = async (entry: InboxEntry, bot: string, edited: EditedArguments, fold: Fold) => {
    const { key, item } = entry
    setChecked((keys) => [...keys, key])
    try {
      await sendApproval(api, item, bot, edited.text)
      fold(() => end(key, 'allowed_edited', true))
    } catch (error) {
      if (error instanceof RunRefusedError && error.status === 400) edited.onRefused(readReason(error))
      else await fail(entry, 'The call could not be approved', error)
    } finally {
      setChecked((keys) => keys.filter((other) => other !== key))
    }
  }

  return {
    entries,
    news,
    change,
    canDecide: (entry: InboxEntry) => botOf(entry) !== undefined && !checked.includes(entry.key),
    allow: async (entry: InboxEntry, edited: EditedArguments | undefined, fold: Fold) => {
      const bot = botOf(entry)
      if (bot === undefined) return
      if (edited !== undefined) await allowEdited(entry, bot.name, edited, fold)
      else await decide(entry, 'allowed', fold, () => sendApproval(api, entry.item, bot.name, undefined))
    },
    deny: async (entry: InboxEntry, reason: string | undefined, fold: Fold) => {
      const bot = botOf(entry)
      const decision = reason === undefined ? 'denied' : 'denied_with_reason'
      if (bot !== undefined)
        await decide(entry, decision, fold, () => sendDenial(api, entry.item, bot.name, reason))
    },
  }
}

interface WaitingProps {
  readonly waiting: WaitingEntries
  /** How many more wait that are not listed. */
  readonly unlisted: number
}

/** The place of a title below the header, in pixels from the top of the window, with the line before it in view. */
const titlePx = 144

function Waiting({ waiting, unlisted }: WaitingProps) {
  const { entries, news, change } = waiting
  const list = useRef<HTMLUListElement>(null)
  const rest = useRef<HTMLParagraphElement>(null)
  /** When an entry was folded last, in the time of events. */
  const foldedAt = useRef(-Infinity)

  /**
   * Folds an entry to a line. The focus goes to the next title, which takes the place of the folded one, so that its
   * buttons come where those of the folded one were.
   */
  const foldEntry =
    (key: string): Fold =>
    (show) => {
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])]
      const at = rows.findIndex((row) => row.dataset.key === key)
      const isOpen = (row: HTMLElement) => row.dataset.open === 'true'
      const next = rows.slice(at + 1).find(isOpen) ?? rows.slice(0, Math.max(at, 0)).findLast(isOpen)
      const former = rows[at]?.getBoundingClientRect().top ?? titlePx
      const { activeElement } = document
      const isHere = activeElement === document.body || rows[at]?.contains(activeElement) === true
      foldedAt.current = performance.now()
      flushSync(show)
      if (!isHere) return
      if (next === undefined) return rest.current?.focus()
      next.querySelector<HTMLElement>('h2 a')?.focus({ preventScroll: true })
      window.scrollBy(0, next.getBoundingClientRect().top - Math.max(former, titlePx))
    }
  if (entries.length === 0)
    return (
      <div className="w-full">
        <EmptyState icon={<Inbox size={22} aria-hidden />} title="Nothing waits for you.">
          Calls that need your approval appear here, from all chats.
        </EmptyState>
        <output className="sr-only">{news}</output>
      </div>
    )
  return (
    <div className="w-full">
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- it only stops clicks */}
      <ul
        ref={list}
        aria-label="Waiting"
        className="flex flex-col gap-6"
        onClickCapture={(event) => {
          // The second click of a double click must not decide about the call that has come under the pointer.
          if (event.detail > 1 && performance.now() - foldedAt.current < doubleClickMs)
            event.stopPropagation()
        }}
      >
        {entries.map((entry) => (
          <InboxRow
            key={entry.key}
            entry={entry}
            canDecide={waiting.canDecide(entry)}
            onAllow={(edited) => void waiting.allow(entry, edited, foldEntry(entry.key))}
            onDeny={(reason) => void waiting.deny(entry, reason, foldEntry(entry.key))}
            onChange={(message) => change(entry.key, { item: { ...entry.item, message } })}
            onReopen={() => change(entry.key, { end: undefined })}
          />
        ))}
      </ul>
      {(unlisted > 0 || entries.every(({ end }) => end !== undefined)) && (
        <p ref={rest} tabIndex={-1} className="mt-6 text-center text-sm text-muted outline-none">
          {unlisted > 0
            ? `and ${unlisted} more, listed when these are decided`
            : 'Nothing else waits for you.'}
        </p>
      )}
      <output className="sr-only">{news}</output>
    </div>
  )
}

/** Clicks within this time of the first one can be a double click. */
const doubleClickMs = 1_000

function WaitingSkeleton() {
  return (
    <output className="flex w-full flex-col gap-6">
      <span className="sr-only">Loading the inbox</span>
      {['one', 'two', 'three'].map((key) => (
        <span key={key} className="flex flex-col gap-2">
          <Skeleton size="h-4 w-2/5" />
          <Skeleton shape="block" size="h-48" />
        </span>
      ))}
    </output>
  )
}
