import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { apiTypeOf } from '../../bots/bot-model.ts'
import { moveLeaf } from '../../chats/chat-store.ts'
import { appendMessage, findPlace, hasNotice, listPath, updateMessage } from '../../chats/message-store.ts'
import type { BatchCall } from '../../chats/stored-call.ts'
import type { ModelTools } from '../../connectors/tools/offer-tools.ts'
import { failure } from '../../connectors/calls/tool-outcome.ts'
import { newId } from '../../lib/new-id.ts'
import type { BotRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { ModelStream } from '../../models/model.ts'
import { onAbort } from '../../lib/abort.ts'
import { askModel } from './ask-model.ts'
import type { ModelAnswer, RunEnding } from './ask-model.ts'
import { buildPrompt } from './build-prompt.ts'
import { toFilledReply } from '../maintenance/close-run.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { decideCall } from '../tools/decide-call.ts'
import type { OpenQuestions } from '../tools/pending-elicitations.ts'
import { runCall } from '../tools/run-call.ts'
import type { HandedCall, RunActions } from './run-completion.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import type { WrittenRun } from '../start/write-run.ts'
import { storeResult, writeResult } from '../tools/write-result.ts'

export interface RunFrame {
  readonly run: WrittenRun
  readonly user: User
  readonly bot: BotRow
  readonly recorder: RunRecorder
  readonly questions: OpenQuestions
  readonly signal: AbortSignal
}

/** What the loop of a run needs done: asks, calls, and puts everything on record. */
export class RecordedActions implements RunActions {
  readonly #deps: CompletionDeps
  readonly #frame: RunFrame
  readonly #model: ModelStream
  readonly #chatId: string
  /** The message that the open reply answers, and the reply. */
  #questionId: string
  #replyId: string
  /** The time of the chat's latest message. */
  #latest: number

  constructor(deps: CompletionDeps, frame: RunFrame) {
    const { chatId, started, latest } = frame.run
    this.#deps = deps
    this.#frame = frame
    this.#model = deps.openBotModel(frame.user, frame.bot)
    this.#chatId = chatId
    this.#questionId = started.user_message.id
    this.#replyId = started.assistant_message.id
    this.#latest = latest
  }

  async ask(): Promise<{ ending: RunEnding; calls: readonly BatchCall[] }> {
    const { database, toolless } = this.#deps
    const { bot, signal } = this.#frame
    const [path, offered] = await Promise.all([
      listPath(database.db, this.#chatId, this.#questionId),
      unlessAborted(this.#listTools(), signal, noTools),
    ])
    const isToolless = toolless.has(bot)
    let answer = await this.#askWith(path, isToolless ? [] : offered.tools)
    if (answer.ending.error?.code === 'tool_unavailable' && !isToolless) {
      toolless.add(bot)
      answer = await this.#askWith(path, [])
    }
    if (toolless.has(bot) && offered.tools.length > 0) await this.#sayToolless()
    return {
      ending: answer.ending,
      calls: answer.calls.map((call) => {
        const target = offered.resolve(call.name)
        return { ...call, ...(target === undefined ? {} : { target }) }
      }),
    }
  }

  async handOut(calls: readonly BatchCall[], continues: boolean): Promise<HandedCall | undefined> {
    const { recorder, user } = this.#frame
    const [call, ...rest] = calls
    if (call === undefined) throw new Error('there is no call to hand out')
    const { shown, stored, handed } = await decideCall(this.#deps, user, {
      replyId: this.#replyId,
      call,
      rest,
      continues,
    })
    // The text that the reply has by now.
    await recorder.settled()
    const replyId = this.#replyId
    const event: UnnumberedEvent = {
      type: 'tool_call',
      message_id: replyId,
      server: shown.server,
      tool: shown.tool,
      arguments: call.arguments,
      plainContent: textOfContent(recorder.state.messages.at(-1)?.content ?? ''),
      call: shown.call,
    }
    recorder.add(event, async (trx, state) => {
      const reply = state.messages.find(({ id }) => id === replyId)
      if (reply === undefined) throw new Error(`the run has no reply ${replyId}`)
      await updateMessage(trx, this.#chatId, replyId, {
        ...toFilledReply(reply),
        call_state: shown.call.state,
        call: JSON.stringify(stored),
      })
    })
    // A call that runs is on record before it does, so that it never runs twice.
    if (handed !== undefined) await recorder.settled()
    return handed
  }

  async call(call: HandedCall): Promise<void> {
    const { recorder, user, signal, questions } = this.#frame
    const outcome = await runCall(this.#deps, call, {
      user,
      signal,
      questions,
      onEvent: (event) => recorder.add(event),
    }).catch((error: unknown) => {
      this.#deps.onError(error)
      return failure(brokenCall)
    })
    const result = writeResult(call, outcome, this.#nextTime())
    const { message } = result
    recorder.add({ type: 'tool_result', role: 'user', content: message.content, message }, (trx) =>
      storeResult(trx, this.#chatId, result),
    )
    this.#questionId = message.id
  }

  async reply(): Promise<void> {
    const { recorder, bot } = this.#frame
    const time = this.#nextTime()
    const questionId = this.#questionId
    const reply: Message = {
      id: newId(),
      parent_id: questionId,
      role: 'assistant',
      content: '',
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      status: 'streaming',
      model: bot.model,
      bot: bot.name,
    }
    this.#replyId = reply.id
    recorder.add({ type: 'reply', assistant_message: reply }, async (trx) => {
      await appendMessage(
        trx,
        {
          chat_id: this.#chatId,
          id: reply.id,
          role: 'assistant',
          content: '',
          status: 'streaming',
          model: bot.model,
          bot: bot.name,
        },
        await findPlace(trx, this.#chatId, questionId),
        time,
      )
      await moveLeaf(trx, this.#chatId, reply.id)
    })
    // What is asked next is read from the database.
    await recorder.settled()
  }

  #listTools(): Promise<ModelTools> {
    const { user, bot, recorder, signal } = this.#frame
    return this.#deps.connectors.listModelTools({
      user,
      apiType: apiTypeOf(bot),
      signal,
      onStatus: (status) => {
        // Whoever stops a reply does not want to hear how it goes on.
        if (!signal.aborted) recorder.add({ type: 'mcp_status', ...status })
      },
    })
  }

  #askWith(path: Awaited<ReturnType<typeof listPath>>, tools: ModelTools['tools']): Promise<ModelAnswer> {
    const { bot, recorder, signal } = this.#frame
    return askModel({
      model: this.#model,
      request: {
        model: bot.model,
        messages: buildPrompt(path, tools.length > 0),
        tools,
        maxTokens: bot.max_tokens,
      },
      signal,
      recorder,
    })
  }

  /** Once for a bot and a chat. */
  async #sayToolless(): Promise<void> {
    const { bot, recorder } = this.#frame
    if (await hasNotice(this.#deps.database.db, this.#chatId, bot.name)) return
    recorder.add({
      type: 'notice',
      notice: `The model ${bot.model} cannot use tools, so it was asked without them.`,
    })
  }

  /** Later than every other message of the chat, into which nobody else writes meanwhile. */
  #nextTime(): number {
    this.#latest = Math.max(this.#deps.now(), this.#latest + 1)
    return this.#latest
  }
}

/** The defect may come after the tool has done its work. */
const brokenCall =
  'The call failed because of a defect in this server. Whether the tool did its work is not known.'

const noTools: ModelTools = { tools: [], notices: [], resolve: () => undefined }

/** A stop is answered at once, whatever is still under way. */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  other: Result,
): Promise<Result> {
  let leave = (): void => undefined
  const aborted = new Promise<Result>((resolve) => {
    leave = onAbort(signal, () => resolve(other))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    leave()
  }
}
