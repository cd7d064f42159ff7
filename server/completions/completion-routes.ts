import { StopAnswer, StopRequest, ClientId } from '@yonder/contract/chat'
import { CompletionRequest, FollowQuery } from '@yonder/contract/completion'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { requireBot } from '../bots/bot-store.ts'
import { requireChat } from '../chats/chat-store.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { Api } from '../http/api.ts'
import { AppError } from '../lib/app-error.ts'
import { sseFrame } from '../http/sse.ts'
import type { SseHub } from '../http/sse.ts'
import { requireUser } from '../identity/require-user.ts'
import type { User } from '../identity/user.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { continueRun } from './start/continue-run.ts'
import { followRun } from './log/follow-run.ts'
import { recordDenials } from './tools/record-denials.ts'
import { refuseWhileClosing } from './start/refuse-while-closing.ts'
import { regenerateReply } from './start/regenerate-reply.ts'
import { isForgotten, repeatAnswer } from './start/repeat-answer.ts'
import { findLastSeq, findLatestRun } from './log/run-store.ts'
import { sendMessage } from './start/send-message.ts'
import type { SentMessage } from './start/send-message.ts'
import { startRun } from './start/start-run.ts'
import { stopCompletion } from './maintenance/stop-completion.ts'
import { writeWhenFree } from './start/write-when-free.ts'

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
      refuseWhileClosing(deps)
      const bot = await requireBot(db, user, body.botName)
      const sent = await writeWhenFree(deps, body.chatId, () => write(deps, user, bot, body))
      if (sent.kind === 'repeated') return repeatAnswer(deps, request, reply, sent)
      startRun(deps, sent.run, user, bot)
      if (sent.denied !== undefined) {
        deps.onChatChanged(user.id, body.chatId)
        await recordDenials(deps, user, sent.denied)
      }
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

async function write(
  deps: CompletionDeps,
  user: User,
  bot: BotRow,
  request: CompletionRequest,
): Promise<SentMessage> {
  if ('userMessageId' in request) {
    return { kind: 'written', run: await regenerateReply(deps, user, bot, request) }
  }
  return request.server ? continueRun(deps, user, bot, request) : sendMessage(deps, user, bot, request)
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
