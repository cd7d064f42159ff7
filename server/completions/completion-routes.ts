import { StopResponse, StopRequest, ClientId } from '@yonder/contract/chat'
import {
  CompletionEvent,
  CompletionRequest,
  FollowQuery,
  RunAccepted,
  StepDecisionRequest,
  StepDecisionResponse,
  ToolAnswerRequest,
  ToolAnswerResponse,
  ToolConfirmRequest,
} from '@yonder/contract/completion'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { requireBot } from '../bots/bot-store.ts'
import { requireChat } from '../chats/chat-store.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { type Api, route } from '../http/api.ts'
import { closeSignal } from '../http/close-signal.ts'
import { sseFrame, type SseHub } from '../http/sse.ts'
import { requireUser } from '../identity/authenticate.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'
import { describeDevice } from '../lib/describe-device.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { followRun } from './log/read-run.ts'
import { findLastSeq, findLatestRun } from './log/run-store.ts'
import { stopRun } from './maintenance/end-run.ts'
import { readTimeZone } from './prompt/fill-instructions.ts'
import type { WrittenRun } from './run.ts'
import { confirmCall, requirePendingCall, recordDenials } from './start/confirm-call.ts'
import { continueRun } from './start/continue-run.ts'
import { decideStep } from './start/decide-step.ts'
import { hasExpiredLog, repeatReply } from './start/repeat-reply.ts'
import { regenerateReply, sendMessage, writeWhenFree, type SendOutcome } from './start/send-message.ts'
import { startRun } from './start/start-run.ts'
import { answerElicitation } from './tools/elicitations.ts'
const eventStream = { content: { 'text/event-stream': { schema: CompletionEvent } } }

export interface CompletionRoutesDeps {
  readonly completions: CompletionDeps
  readonly sse: SseHub
  /** Completions that each user may request per minute, and may have in progress at this node. */
  readonly perMinute: number
  /** Notifies the live streams of the user of a change to the chat that is not a run event. */
  readonly onChatChanged: (userId: string, chatId: string) => void
}

/** Registers the routes of replies, their streams, and the user's decisions about tool calls. */
export function registerCompletionRoutes(api: Api, routes: CompletionRoutesDeps): void {
  registerReplyRoutes(api, routes)
  registerToolRoutes(api, routes)
  registerStreamRoutes(api, routes)
}

function registerReplyRoutes(api: Api, routes: CompletionRoutesDeps): void {
  const { completions: deps, sse, perMinute, onChatChanged } = routes
  api.post(
    '/api/chat/completions',
    {
      ...route('owner', 'Send a message, or request another reply', ['conflict', 'run_active'], {
        body: CompletionRequest,
        response: { 200: eventStream, 202: RunAccepted },
      }),
      config: { perMinute },
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { body } = request
      deps.runs.checkAccepting()
      deps.runs.checkUserLimit(perMinute, user.id)
      const bot = await requireBot(deps.database.db, user, body.botName)
      const on = deviceOf(request)
      const sent = await writeWhenFree(deps, body.chatId, () =>
        writeRequestedReply(deps, user, bot, body, on),
      )
      if (sent.kind === 'repeated') {
        if (prefersAsync(request)) return accept(reply, body.chatId, null)
        sse.checkLimit(request)
        return repeatReply(deps, () => sse.open(request, reply), sent)
      }
      startRun(deps, sent.run, { user, bot, timeZone: readTimeZone(body.time_zone) })
      if (sent.denial !== undefined) {
        onChatChanged(user.id, body.chatId)
        await recordDenials(deps, user, sent.denial)
      }
      return respondToRun(routes, request, reply, sent.run)
    },
  )
}

function registerToolRoutes(api: Api, routes: CompletionRoutesDeps): void {
  const { completions: deps, perMinute, onChatChanged } = routes
  api.post(
    '/api/tool/confirm',
    {
      ...route('owner', 'Approve a tool call', ['conflict', 'run_active'], {
        body: ToolConfirmRequest,
        response: { 200: eventStream, 202: RunAccepted },
      }),
      config: { perMinute, exactNumbers: 'number' },
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { body } = request
      deps.runs.checkAccepting()
      deps.runs.checkUserLimit(perMinute, user.id)
      const bot = await requireBot(deps.database.db, user, body.botName)
      const pending = await requirePendingCall(deps.database, user, body)
      const confirmation = {
        bot,
        edited: body.edited,
        on: deviceOf(request),
        signal: closeSignal(reply.raw),
      }
      const run = await writeWhenFree(deps, pending.chat_id, () =>
        confirmCall(deps, user, pending, confirmation),
      )
      startRun(deps, run, { user, bot, timeZone: readTimeZone(body.time_zone) })
      return respondToRun(routes, request, reply, run)
    },
  )

  api.put(
    '/api/tool/step-decision',
    {
      ...route('owner', 'Decide about a later call of a step', ['conflict'], {
        body: StepDecisionRequest,
        response: { 200: StepDecisionResponse },
      }),
      config: { exactNumbers: 'number' },
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { body } = request
      const call = await decideStep(deps, user, body, {
        on: deviceOf(request),
        signal: closeSignal(reply.raw),
      })
      onChatChanged(user.id, body.chatId)
      return { call }
    },
  )

  api.post(
    '/api/tool/answer',
    {
      ...route('owner', 'Answer the question of a tool call', ['conflict'], {
        body: ToolAnswerRequest,
        response: { 200: ToolAnswerResponse },
      }),
      config: { exactNumbers: 'text' },
    },
    async (request) => {
      await answerElicitation(deps, requireUser(request), request.body)
      return { answered: true } as const
    },
  )
}

function registerStreamRoutes(api: Api, { completions: deps, sse }: CompletionRoutesDeps): void {
  const { db, dialect } = deps.database
  api.post(
    '/api/chat/stop',
    route('owner', 'Stop the reply of a chat', [], { body: StopRequest, response: { 200: StopResponse } }),
    async (request) => ({ stopped: await stopRun(deps, requireUser(request), request.body.chatId) }),
  )

  api.get(
    '/api/chat/:id/stream',
    route('owner', 'Follow a reply', ['not_resumable'], {
      params: z.object({ id: ClientId }),
      querystring: FollowQuery,
      response: { 200: eventStream },
    }),
    async (request, reply) => {
      sse.checkLimit(request)
      const { id } = await requireChat(db, requireUser(request), request.params.id)
      const run = await findLatestRun(db, dialect, id, request.query.messageId)
      const after = request.query.after ?? lastEventId(request)
      if (run === undefined || hasExpiredLog(deps, run)) throw notResumable()
      if (after > (await findLastSeq(db, run.id))) throw notResumable()
      followRun(deps, sse.open(request, reply), { runId: run.id, after, numbered: true })
    },
  )
}

/** Responds with the stream of a run that was just started, or only with its first event if the client prefers that. */
function respondToRun(
  { completions: deps, sse }: CompletionRoutesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, chatId, started }: WrittenRun,
): FastifyReply | undefined {
  if (prefersAsync(request)) return accept(reply, chatId, started)
  const stream = sse.open(request, reply)
  stream.write(sseFrame(JSON.stringify(started)))
  followRun(deps, stream, { runId: id, after: started.seq, numbered: false })
  // Not the reply: its promise would keep the request in memory until the stream has ended.
  return undefined
}

/** Whether the client reads the events of the run elsewhere (RFC 7240). */
function prefersAsync({ headers }: FastifyRequest): boolean {
  const preferences = String(headers['prefer'] ?? '').split(',')
  return preferences.some((preference) => preference.trim().toLowerCase() === 'respond-async')
}

function accept(reply: FastifyReply, chatId: string, started: RunAccepted['started']): FastifyReply {
  const accepted: RunAccepted = { chatId, started }
  return reply.code(202).header('preference-applied', 'respond-async').send(accepted)
}

/** Writes what the request asks for: another reply, a continuation from a result, or a message with its reply. */
async function writeRequestedReply(
  deps: CompletionDeps,
  user: User,
  bot: BotRow,
  request: CompletionRequest,
  on: string,
): Promise<SendOutcome> {
  if ('userMessageId' in request) return regenerateReply(deps, user, bot, request)
  return request.server
    ? continueRun(deps, user, bot, request)
    : sendMessage(deps, user, bot, { ...request, on })
}

/** Describes the device of a request, which is stored with what the user decides. */
function deviceOf({ headers }: FastifyRequest): string {
  return describeDevice(headers['user-agent'])
}

function lastEventId(request: FastifyRequest): number {
  const header = request.headers['last-event-id']
  if (header === undefined) return 0
  const after = Number(header)
  if (!Number.isSafeInteger(after) || after < 0) {
    throw new AppError('invalid_request', 'The header Last-Event-ID must be the number of an event.')
  }
  return after
}

function notResumable(): AppError {
  return new AppError(
    'not_resumable',
    'This reply can no longer be followed live. Reload the page to read its text.',
  )
}
