import { StopAnswer, StopRequest, ClientId } from '@yonder/contract/chat'
import { CompletionRequest, FollowQuery } from '@yonder/contract/completion'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { requireBot } from '../bots/bot-store.ts'
import { requireChat } from '../chats/chat-store.ts'
import { listReplies } from '../chats/message-store.ts'
import { presentMessage } from '../chats/present-message.ts'
import type { MessageRow } from '../db/tables.ts'
import type { Api } from '../http/api.ts'
import { AppError } from '../http/app-error.ts'
import { sseFrame } from '../http/sse.ts'
import type { SseHub } from '../http/sse.ts'
import { requireUser } from '../identity/require-user.ts'
import { closeDeadRun } from './close-dead-runs.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { followRun } from './follow-run.ts'
import { regenerateReply } from './regenerate-reply.ts'
import { retellRun } from './retell-run.ts'
import { findActiveRun, findLastSeq, findLatestRun } from './run-store.ts'
import { sendMessage } from './send-message.ts'
import { startRun, stillAnswering } from './start-run.ts'
import { stopCompletion } from './stop-completion.ts'
import { logTime } from './tend-runs.ts'

export interface CompletionRoutesDeps extends CompletionDeps {
  readonly sse: SseHub
  /** Completions that one person may ask for. */
  readonly perMinute: number
  /** True once the process goes down. */
  readonly isClosing: () => boolean
}

/** Replies and their streams (§7.11, §7.30). */
export function registerCompletionRoutes(api: Api, deps: CompletionRoutesDeps): void {
  const { db, dialect } = deps.database

  api.post(
    '/api/chat/completions',
    { schema: { body: CompletionRequest }, config: { perMinute: deps.perMinute } },
    async (request, reply) => {
      const user = requireUser(request)
      const { body } = request
      if (deps.isClosing())
        throw new AppError('unavailable', 'The server is going down. Try again in a moment.')
      const bot = await requireBot(db, user, body.botName)
      const sent = await writeWhenFree(deps, body.chatId, async () =>
        'userMessageId' in body
          ? ({ kind: 'written', run: await regenerateReply(deps, user, bot, body) } as const)
          : sendMessage(deps, user, bot, body),
      )
      if (sent.kind === 'repeated') return repeatAnswer(deps, request, reply, sent.message)
      startRun(deps, sent.run, user, bot)
      const { id, started } = sent.run
      const stream = deps.sse.open(request, reply)
      stream.write(sseFrame(JSON.stringify(started)))
      await followRun(deps, stream, { runId: id, after: started.seq, numbered: false })
    },
  )

  api.post(
    '/api/chat/stop',
    { schema: { body: StopRequest, response: { 200: StopAnswer } } },
    async (request) => {
      await requireChat(db, requireUser(request), request.body.chatId)
      return { stopped: await stopCompletion(deps, request.body.chatId) }
    },
  )

  api.get(
    '/api/chat/:id/stream',
    { schema: { params: z.object({ id: ClientId }), querystring: FollowQuery } },
    async (request, reply) => {
      const { id } = await requireChat(db, requireUser(request), request.params.id)
      const run = await findLatestRun(db, dialect, id, request.query.messageId)
      const after = request.query.after ?? lastEventId(request)
      if (run === undefined || isForgotten(deps, run)) throw notResumable()
      if (after > (await findLastSeq(db, run.id))) throw notResumable()
      await followRun(deps, deps.sse.open(request, reply), { runId: run.id, after, numbered: true })
    },
  )
}

/**
 * Writes into a chat in which nothing runs. A run whose node died does not count: it is closed first.
 * @throws AppError `run_active`
 */
async function writeWhenFree<Result>(
  deps: CompletionDeps,
  chatId: string,
  write: () => Promise<Result>,
): Promise<Result> {
  const { db, dialect } = deps.database
  try {
    return await write()
  } catch (error) {
    // Two that raced past the check meet at the index that allows one run to a chat.
    const refusal = dialect.isUniqueViolation(error) ? stillAnswering() : error
    if (!(refusal instanceof AppError) || refusal.code !== 'run_active') throw refusal
    const active = await findActiveRun(db, dialect, chatId)
    if (active?.expired !== true) throw refusal
    await closeDeadRun(deps, active.id)
    return write()
  }
}

/** Answers a repeated message with the stream of its first answer. */
async function repeatAnswer(
  deps: CompletionRoutesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  message: MessageRow,
): Promise<void> {
  const { db, dialect } = deps.database
  const [answer] = await listReplies(db, message.chat_id, message.id)
  if (answer === undefined) throw new Error(`message ${message.id} has no reply`)
  const run = await findLatestRun(db, dialect, message.chat_id, answer.id)
  const stream = deps.sse.open(request, reply)
  if (run === undefined || isForgotten(deps, run)) {
    stream.end(retellRun(presentMessage(message), presentMessage(answer)))
  } else await followRun(deps, stream, { runId: run.id, after: 0, numbered: false })
}

/** Its log is removed a while after its end: the text is in the message. */
function isForgotten({ now }: CompletionDeps, run: { readonly ended_at: number | null }): boolean {
  return run.ended_at !== null && now() - run.ended_at > logTime
}

function lastEventId(request: FastifyRequest): number {
  const header = request.headers['last-event-id']
  if (header === undefined) return 0
  const after = Number(header)
  if (!Number.isSafeInteger(after) || after < 0) {
    throw new AppError('invalid_request', 'Last-Event-ID must be the number of an event.')
  }
  return after
}

function notResumable(): AppError {
  return new AppError('not_resumable', 'This reply can no longer be followed; its text is in the chat.')
}
