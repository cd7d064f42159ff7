import type { Message } from '@yonder/contract/message'
import { Check, ChevronRight, Wrench } from 'lucide-react'
import { use, useCallback, useState } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { MessageActionsContext, ToolCallsContext } from './message-context.ts'

export interface FoldedCallsProps {
  readonly fold: CallFold
  readonly open: boolean
  readonly onToggle: () => void
}

/** The line into which tool calls are folded. A click shows them below it. */
export function FoldedCalls({ fold: { count, failures }, open, onToggle }: FoldedCallsProps) {
  return (
    <section aria-label="Tool calls" className="my-2.5 rounded-card border border-line bg-surface text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="touch-target flex min-h-10 w-full items-center gap-2.5 rounded-card px-3 py-2 text-left transition-colors hover:bg-hover"
      >
        <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 font-medium tabular-nums">{count} tool calls</span>
        <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
          {failures > 0 ? (
            `${failures} did not succeed`
          ) : (
            <Check size={16} aria-hidden className="text-success" />
          )}
        </span>
        <ChevronRight
          size={16}
          aria-hidden
          className={classNames('shrink-0 text-muted transition-transform', open && 'rotate-90')}
        />
      </button>
    </section>
  )
}

/** Fewer calls of a row are not folded. */
const minFoldedCalls = 5

/** Tool calls of a row that are folded into one line. A row is a series of consecutive calls of a turn. */
interface CallFold {
  /** The id of the reply above whose call the line is shown. */
  readonly firstId: string
  /** The ids of the replies whose calls are folded into the line. */
  readonly foldedIds: ReadonlySet<string>
  /** The number of calls of the row that have ended, including those that are not folded. */
  readonly count: number
  /** How many of these did not succeed, for example because they failed, were denied or were stopped. */
  readonly failures: number
}

/**
 * Folds the calls that have succeeded. Calls that did not succeed, are running, need approval or returned a file stay
 * visible, and so do those for which `isKept` returns true.
 */
export function foldCalls(
  replies: readonly Message[],
  resultOf: (replyId: string) => Message | undefined,
  isKept: (reply: Message) => boolean,
): readonly CallFold[] {
  return listRows(replies).flatMap((row) => {
    const ended = row.map((reply) => ({ reply, result: resultOf(reply.id) })).filter(hasEnded)
    const succeeded = ended.filter(hasSucceeded)
    const folded = succeeded.filter(({ reply, result }) => !hasFile(result) && !isKept(reply))
    const [first] = row
    if (first === undefined || folded.length < minFoldedCalls) return []
    return [
      {
        firstId: first.id,
        foldedIds: new Set(folded.map(({ reply }) => reply.id)),
        count: ended.length,
        failures: ended.length - succeeded.length,
      },
    ]
  })
}

/** The rows of a turn: consecutive replies that call a tool. A reply with content of its own begins a new row. */
function listRows(replies: readonly Message[]): readonly (readonly Message[])[] {
  const rows: Message[][] = []
  let current: Message[] | undefined
  for (const reply of replies) {
    if (reply.tool === undefined) current = undefined
    else if (current === undefined || hasOwnContent(reply)) rows.push((current = [reply]))
    else current.push(reply)
  }
  return rows
}

/** Whether a reply shows more than its call and its reasoning, so that it stays visible when its call is folded. */
export function hasOwnContent({ content, notice, left_out_tools }: Message): boolean {
  return content.length > 0 || notice !== undefined || left_out_tools !== undefined
}

interface Call {
  readonly reply: Message
  readonly result: Message | undefined
}

/** A shared chat lacks the result of an answered call if the result is on another branch. */
function hasEnded({ reply, result }: Call): boolean {
  return result !== undefined || reply.call?.state === 'answered'
}

function hasSucceeded({ result }: Call): boolean {
  return result === undefined || result.outcome === undefined || result.outcome.status === 'done'
}

function hasFile(result: Message | undefined): boolean {
  return result?.outcome?.parts.some((part) => 'file' in part) === true
}

/** The folded tool calls of a turn. */
export function useFolds(replies: readonly Message[]) {
  const { resultOf, last } = use(ToolCallsContext)
  const siblingsOf = use(MessageActionsContext)?.siblingsOf
  const [openFolds, setOpenFolds] = useState<ReadonlySet<string>>(new Set())
  const [openCalls, setOpenCalls] = useState<ReadonlySet<string>>(new Set())
  const onToggleCall = useCallback(
    (replyId: string, open: boolean) => setOpenCalls((before) => withMember(before, replyId, open)),
    [],
  )
  const isKept = (reply: Message) => {
    if (openCalls.has(reply.id)) return true
    const result = resultOf(reply.id)
    // 'Continue' is shown below the last result, and the arrows between versions below their reply.
    if (result !== undefined && result.id === last?.id) return true
    return (siblingsOf?.(reply).ids.length ?? 1) > 1
  }
  const folds = foldCalls(replies, resultOf, isKept)
  return {
    /** Returns the fold whose line is above the call of a reply; undefined if there is none. */
    foldAt: (replyId: string) => folds.find(({ firstId }) => firstId === replyId),
    isOpen: ({ firstId }: CallFold) => openFolds.has(firstId),
    toggle: ({ firstId }: CallFold) =>
      setOpenFolds((before) => withMember(before, firstId, !before.has(firstId))),
    /** Whether the call of a reply is folded and its line is closed. */
    isHidden: (replyId: string) =>
      folds.some(({ firstId, foldedIds }) => foldedIds.has(replyId) && !openFolds.has(firstId)),
    /** Called when the user opens or closes a call. An open call is not folded. */
    onToggleCall,
  }
}

export type Folds = ReturnType<typeof useFolds>

function withMember(set: ReadonlySet<string>, member: string, isMember: boolean): ReadonlySet<string> {
  const changed = new Set(set)
  if (isMember) changed.add(member)
  else changed.delete(member)
  return changed
}
