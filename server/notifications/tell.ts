import { longReplyMs, type NoticeKind } from '@yonder/contract/lib/notices'
import { findMessage } from '../chats/message-store.ts'
import type { Database } from '../db/database.ts'
import { collapseSpaces, cutText } from '../lib/text.ts'
import type { Notice } from './notice.ts'
import {
  type EndedRunRow,
  findChatTitle,
  findChoices,
  findEndedRun,
  insertNotices,
  listTargets,
} from './notification-store.ts'

/** A run that has ended, with the reply that it ended with. */
export interface ToldRun {
  readonly id: number
  readonly chatId: string
  readonly userId: string
  readonly replyId: string
}

/** A question that a running call has asked. */
export interface ToldQuestion {
  readonly questionId: string
  readonly chatId: string
  readonly userId: string
  readonly replyId: string
}

export interface TellDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Characters of a title or a text in a notification. A push has at most 3,993 bytes. */
const maxTitleChars = 120
const maxTextChars = 240

/**
 * Stores what a user is told about the end of a run. It is called after the end is stored: a crash in between loses the
 * notice, and nothing tells it twice. Returns whether there is anything to send.
 */
export async function tellEnd(deps: TellDeps, run: ToldRun): Promise<boolean> {
  return tell(deps, { ...run, subject: `run-${run.id}` }, async () => {
    const ended = await findEndedRun(deps.database.db, run.id)
    return ended && ((callState) => kindOf(ended, callState))
  })
}

/** Stores that a running call has asked the user something. Returns whether there is anything to send. */
export async function tellQuestion(deps: TellDeps, question: ToldQuestion): Promise<boolean> {
  return tell(
    deps,
    { ...question, subject: `question-${question.questionId}` },
    async () => () => 'call_asks',
  )
}

type FindKind = (callState: string | null) => NoticeKind | undefined

async function tell(
  { database, now }: TellDeps,
  { subject, chatId, userId, replyId }: Omit<ToldQuestion, 'questionId'> & { readonly subject: string },
  readKind: () => Promise<FindKind | undefined>,
): Promise<boolean> {
  const { db } = database
  const user = { id: userId }
  // Most users have none, and those who look at the page are told by it.
  const targets = await listTargets(database, user)
  if (targets.length === 0) return false
  const [choices, chat, reply, findKind] = await Promise.all([
    findChoices(db, user),
    findChatTitle(db, user, chatId),
    findMessage(db, chatId, replyId),
    readKind(),
  ])
  const kind = findKind?.(reply?.call_state ?? null)
  if (kind === undefined || chat === undefined || reply === undefined || !choices.kinds.includes(kind))
    return false
  const notice: Notice = { kind, chat_id: chatId, bot: reply.bot ?? 'The bot', at: now() }
  const text = kind === 'reply_ended' ? collapseSpaces(reply.content) : ''
  const texts = {
    ...(chat.title !== null && { title: cutText(collapseSpaces(chat.title), maxTitleChars) }),
    ...(text !== '' && { text: cutText(text, maxTextChars) }),
  }
  await insertNotices(database, user, subject, choices.with_text ? { ...notice, ...texts } : notice, targets)
  return true
}

/** What is told about a run that has ended. Nothing about one that the user stopped, or that was short. */
function kindOf(
  { status, started_at, ended_at }: EndedRunRow,
  callState: string | null,
): NoticeKind | undefined {
  if (status === 'failed' || status === 'interrupted') return 'reply_failed'
  if (status !== 'complete') return undefined
  if (callState === 'waiting') return 'call_asks'
  return (ended_at ?? 0) - started_at >= longReplyMs ? 'reply_ended' : undefined
}
