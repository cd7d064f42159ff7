import { ToolAnswer, ToolAnswered, ToolConfirm } from '@yonder/contract/completion'
import { requireBot } from '../bots/bot-store.ts'
import type { Api } from '../http/api.ts'
import { sseFrame } from '../http/sse.ts'
import { requireUser } from '../identity/require-user.ts'
import { answerQuestion } from './tools/answer-elicitation.ts'
import type { CompletionRoutesDeps } from './completion-routes.ts'
import { confirmCall, requireWaitingCall } from './start/confirm-call.ts'
import { followRun } from './log/follow-run.ts'
import { refuseWhileClosing } from './start/refuse-while-closing.ts'
import { startRun } from './start/start-run.ts'
import { writeWhenFree } from './start/write-when-free.ts'

/** What a person says to a call: that it may run (§7.12), and what it asks them. */
export function registerToolRoutes(api: Api, deps: CompletionRoutesDeps): void {
  const { db } = deps.database

  api.post(
    '/api/tool/confirm',
    { schema: { body: ToolConfirm }, config: { perMinute: deps.perMinute } },
    async (request, reply) => {
      const user = requireUser(request)
      const { body } = request
      refuseWhileClosing(deps)
      const bot = await requireBot(db, user, body.botName)
      const waiting = await requireWaitingCall(deps.database, user, body)
      const run = await writeWhenFree(deps, waiting.chat_id, () => confirmCall(deps, user, waiting))
      startRun(deps, run, user, bot)
      const { id, started } = run
      const stream = deps.sse.open(request, reply)
      stream.write(sseFrame(JSON.stringify(started)))
      await followRun(deps, stream, { runId: id, after: started.seq, numbered: false })
    },
  )

  api.post(
    '/api/tool/answer',
    { schema: { body: ToolAnswer, response: { 200: ToolAnswered } } },
    async (request) => {
      await answerQuestion(deps, requireUser(request), request.body)
      return { answered: true } as const
    },
  )
}
