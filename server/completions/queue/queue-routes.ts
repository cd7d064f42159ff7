import {
  Queue,
  QueueAction,
  QueueChange,
  QueueContinue,
  QueueQuery,
  QueueRequest,
} from '@yonder/contract/queue'
import type { FastifyRequest } from 'fastify'
import { AnyId, type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { describeDevice } from '../../lib/describe-device.ts'
import { stopRun } from '../maintenance/end-run.ts'
import { addToQueue, changeQueued, makeFirst, removeQueued } from './change-queue.ts'
import { drainQueue, sendQueued, type SendDeps, type SendOptions } from './send-queued.ts'
import { readQueue } from './shown-queue.ts'

const response = { 200: Queue }

/** Registers the routes of the messages that wait for the end of a reply. Each responds with the queue. */
export function registerQueueRoutes(api: Api, deps: SendDeps): void {
  const { database, perMinute, onChatChanged } = deps

  api.get(
    '/api/chat/queue',
    route('owner', 'Read the queue of a chat', [], { querystring: QueueQuery, response }),
    (request) => readQueue(database, requireUser(request), request.query.chatId),
  )

  api.post(
    '/api/chat/queue',
    {
      ...route('owner', 'Queue a message', ['conflict'], { body: QueueRequest, response }),
      config: { perMinute },
    },
    async (request) => {
      const user = requireUser(request)
      const { chatId, id, time_zone } = request.body
      const isAlone = await addToQueue(deps, user, request.body)
      onChatChanged(user.id, chatId)
      // By its id, because the chat may show another branch, on which others wait.
      const now = { id, despite: 'endings', timeZone: time_zone } as const
      await sendLater(deps, user, chatId, isAlone ? now : undefined)
      return readQueue(database, user, chatId)
    },
  )

  api.patch(
    '/api/chat/queue/:id',
    route('owner', 'Change a message that waits', ['conflict'], {
      params: AnyId,
      body: QueueChange,
      response,
    }),
    async (request) => {
      const user = requireUser(request)
      const { chatId } = request.body
      await changeQueued(deps, user, request.params.id, request.body)
      onChatChanged(user.id, chatId)
      await sendLater(deps, user, chatId)
      return readQueue(database, user, chatId)
    },
  )

  api.delete(
    '/api/chat/queue/:id',
    route('owner', 'Take a message out of the queue', ['conflict'], {
      params: AnyId,
      querystring: QueueQuery,
      response,
    }),
    async (request) => {
      const user = requireUser(request)
      const { chatId } = request.query
      await removeQueued(deps, user, chatId, request.params.id)
      onChatChanged(user.id, chatId)
      await sendLater(deps, user, chatId)
      return readQueue(database, user, chatId)
    },
  )

  api.post(
    '/api/chat/queue/:id/send',
    {
      ...route('owner', 'Stop the reply, and send a message that waits', ['conflict'], {
        params: AnyId,
        body: QueueAction,
        response,
      }),
      config: { perMinute },
    },
    async (request) => {
      const user = requireUser(request)
      const { chatId, time_zone } = request.body
      const { id } = request.params
      checkRoom(deps, user)
      const prepared = await makeFirst(deps, user, chatId, id)
      if (prepared !== undefined) {
        const { runId } = prepared
        if (runId !== undefined) await stopRun(deps, user, chatId, { runId })
        const on = deviceOf(request)
        await sendQueued(deps, user, chatId, { id, despite: 'everything', timeZone: time_zone, on })
        onChatChanged(user.id, chatId)
      }
      return readQueue(database, user, chatId)
    },
  )

  api.post(
    '/api/chat/queue/continue',
    {
      ...route('owner', 'Let a paused queue go on', ['conflict'], { body: QueueContinue, response }),
      config: { perMinute },
    },
    async (request) => {
      const user = requireUser(request)
      const { chatId, id, paused, time_zone } = request.body
      checkRoom(deps, user)
      const on = deviceOf(request)
      await sendQueued(deps, user, chatId, { id, despite: paused, timeZone: time_zone, on })
      onChatChanged(user.id, chatId)
      return readQueue(database, user, chatId)
    },
  )
}

/** The device of a request that denies a call when it sends a message. */
function deviceOf({ headers }: FastifyRequest): string {
  return describeDevice(headers['user-agent'])
}

/** @throws AppError `restarting`, `rate_limited` when this node starts no other reply of the user */
function checkRoom({ runs, perMinute }: SendDeps, user: User): void {
  runs.checkAccepting()
  runs.checkUserLimit(perMinute, user.id)
}

/**
 * Sends what can be sent after a change. The change is stored, so a failure must not fail the request: the message waits,
 * and is sent soon.
 */
async function sendLater(deps: SendDeps, user: User, chatId: string, options?: SendOptions): Promise<void> {
  try {
    await (options === undefined ? drainQueue(deps, chatId) : sendQueued(deps, user, chatId, options))
  } catch (error) {
    if (!(error instanceof AppError)) deps.onError(error)
  }
}
