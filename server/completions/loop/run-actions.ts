import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { countChars, countContent, filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { readBotConnectors } from '../../bots/bot-fields.ts'
import { fullChatMessage, selectLeaf, touchChat } from '../../chats/chat-store.ts'
import {
  appendMessage,
  requireParent,
  updateMessage,
  toContentColumns,
  toFilledReply,
} from '../../chats/message-store.ts'
import { presentCall } from '../../chats/present-call.ts'
import type { LaterCall, RemainingCalls } from '../../chats/tool-call-store.ts'
import { failure } from '../../connectors/calls/tool-call.ts'
import { linkFiles } from '../../files/file-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'
import type { CompletionDeps, RunFrame } from '../completion-deps.ts'
import { deleteQueued, type QueuedRow } from '../queue/queue-store.ts'
import { contentOfQueued } from '../queue/shown-queue.ts'
import { takeSteering } from '../queue/steer-reply.ts'
import type { RunActions, ToolInvocation, RunEnding } from '../run.ts'
import { previewStep } from '../tools/preview-step.ts'
import { listDenied, recordDenied } from '../tools/record-denied.ts'
import { runCall } from '../tools/run-call.ts'
import { storeResultFiles } from '../tools/store-result-files.ts'
import { decideCall, type DecidedCall } from '../tools/tool-invocation.ts'
import { createResult, storeResult } from '../tools/tool-result.ts'
import { failed } from './call-model.ts'
import { ModelCaller, type CallerDeps } from './model-caller.ts'

export type ActionDeps = CallerDeps & Pick<CompletionDeps, 'onChatChanged' | 'onQuestion' | 'onError'>

/** Characters of all messages of a run, which are in memory until it ends. */
const maxRunChars = 5_000_000

const tooLong = failed(
  'output_limit',
  `These replies and tool results have reached the limit of ${maxRunChars.toLocaleString('en')} characters. Send a message to continue.`,
)

/** The effects of a run's loop: calls the model and the tools, and adds their events to the recorder. */
export class RecordedActions implements RunActions {
  readonly #deps: ActionDeps
  readonly #frame: RunFrame
  readonly #caller: ModelCaller
  readonly #chatId: string
  /** The parent of the open reply or, after a call, of the next one: a user message or a tool's result. */
  #parentId: string
  /** The open reply. */
  #replyId: string
  #latestTime: number

  constructor(deps: ActionDeps, frame: RunFrame) {
    const { chatId, started, latestTime } = frame.run
    this.#deps = deps
    this.#frame = frame
    this.#caller = new ModelCaller(deps, frame)
    this.#chatId = chatId
    this.#parentId = started.user_message.id
    this.#replyId = started.assistant_message.id
    this.#latestTime = latestTime
  }

  findLimitEnding(): RunEnding | undefined {
    const { recorder, run } = this.#frame
    if (run.isChatFull) return failed('output_limit', fullChatMessage)
    const chars = recorder.state.messages.reduce((sum, message) => sum + countChars(message), 0)
    return chars > maxRunChars ? tooLong : undefined
  }

  callModel() {
    return this.#caller.call(this.#parentId, this.#replyId)
  }

  async dispatch({ calls, total }: RemainingCalls): Promise<ToolInvocation | undefined> {
    const { recorder, user } = this.#frame
    const [call, ...rest] = calls
    if (call === undefined) throw new Error('there is no call to dispatch')
    const replyId = this.#replyId
    const { shown, connectorId, stored, invocation } = await this.#decide(call, { calls: rest, total })
    // `plainContent` is read from the committed state, so the text of the reply is committed first.
    await recorder.flush()
    const event: UnnumberedEvent = {
      type: 'tool_call',
      message_id: replyId,
      server: shown.server,
      tool: shown.tool,
      arguments: call.arguments,
      plainContent: textOfContent(recorder.state.messages.at(-1)?.content ?? ''),
      call: invocation === undefined ? shown.call : { ...shown.call, running_since: this.#deps.now() },
    }
    recorder.add(event, async (trx, state) => {
      const reply = state.messages.find(({ id }) => id === replyId)
      if (reply === undefined) throw new Error(`the run has no reply ${replyId}`)
      await touchChat(trx, this.#chatId, this.#deps.now(), countChars(reply))
      await updateMessage(trx, this.#chatId, replyId, {
        ...toFilledReply(reply),
        connector_id: connectorId,
        call_state: shown.call.state,
        call: JSON.stringify(stored),
      })
    })
    // A call is stored as running before it is made, so that it is never made twice.
    if (invocation !== undefined) await recorder.flush()
    if (invocation !== undefined && stored.decision?.kind === 'denied')
      await recordDenied(this.#deps, user, listDenied(toCallRow(this.#chatId, invocation), stored.decision))
    return invocation
  }

  /** Decides about a call. One that waits lists the later calls of its step. */
  async #decide(call: LaterCall, remaining: RemainingCalls): Promise<DecidedCall> {
    const { user, signal, bot } = this.#frame
    const replyId = this.#replyId
    const place = { chatId: this.#chatId, botId: bot.id, readBotConnectors: this.#readBotConnectors }
    const decided = await decideCall(this.#deps, user, { replyId, call, remaining, place, signal })
    if (decided.invocation !== undefined || remaining.calls.length === 0) return decided
    const rest = await previewStep(this.#deps, user, remaining.calls, place, signal)
    const stored = { ...decided.stored, rest }
    return { ...decided, stored, shown: { ...decided.shown, call: presentCall(stored, 'waiting') } }
  }

  async invoke(invocation: ToolInvocation): Promise<void> {
    const { recorder, user, signal, elicitations } = this.#frame
    const outcome = await runCall(this.#deps, invocation, {
      user,
      chatId: this.#chatId,
      botId: this.#frame.bot.id,
      readBotConnectors: this.#readBotConnectors,
      signal,
      elicitations,
      onEvent: (event) => {
        recorder.add(event)
        if (event.type === 'tool_question' && event.question !== null)
          this.#deps.onQuestion({
            questionId: event.question.id,
            chatId: this.#chatId,
            userId: user.id,
            replyId: event.message_id,
          })
      },
    }).catch((error: unknown) => {
      this.#deps.onError(error)
      return failure(defectiveCall)
    })
    const { files, onError } = this.#deps
    const parts = await storeResultFiles(files, user, invocation.toolName, outcome.parts, onError)
    const result = createResult(invocation, { ...outcome, parts }, this.#nextTime())
    const { message } = result
    recorder.add({ type: 'tool_result', role: 'user', content: message.content, message }, (trx) =>
      storeResult(trx, this.#chatId, result),
    )
    this.#parentId = message.id
  }

  async openReply(callsModel: boolean): Promise<void> {
    const { recorder, bot, user } = this.#frame
    // They are added with the reply in one commit, because nothing is awaited from here on.
    const added = callsModel ? await this.#takeSteering() : []
    for (const row of added) this.#addMessage(row)
    const time = this.#nextTime()
    const parentId = this.#parentId
    const id = newId()
    const empty = {
      role: 'assistant',
      content: '',
      status: 'streaming',
      model: bot.model,
      bot: bot.name,
    } as const
    const reply: Message = {
      id,
      parent_id: parentId,
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      ...empty,
    }
    this.#replyId = id
    recorder.add({ type: 'reply', assistant_message: reply }, async (trx) => {
      const parent = await requireParent(trx, this.#chatId, parentId)
      await appendMessage(trx, { chat_id: this.#chatId, id, bot_id: bot.id, ...empty }, parent, time)
      await selectLeaf(trx, this.#chatId, id)
    })
    // The next prompt is read from the database, so the result before this reply must be committed.
    await recorder.flush()
    if (added.length > 0) this.#deps.onChatChanged(user.id, this.#chatId)
  }

  /** A failure must not end the run: the messages wait, and are sent when it has ended. */
  async #takeSteering(): Promise<readonly QueuedRow[]> {
    const { run, user } = this.#frame
    const place = { user, chatId: this.#chatId, runId: run.id, replyId: this.#replyId }
    try {
      return await takeSteering(this.#deps.database, place)
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.onError(error)
      return []
    }
  }

  /** Adds a message of the user after the last one. */
  #addMessage(row: QueuedRow): void {
    const { id } = row
    const time = this.#nextTime()
    const parentId = this.#parentId
    const content = contentOfQueued(row)
    const message: Message = {
      id,
      parent_id: parentId,
      role: 'user',
      content,
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      status: 'complete',
    }
    this.#parentId = id
    this.#frame.recorder.add({ type: 'message', message }, async (trx) => {
      await touchChat(trx, this.#chatId, this.#deps.now(), countContent(content))
      const parent = await requireParent(trx, this.#chatId, parentId)
      const columns = { role: 'user', ...toContentColumns(content), status: 'complete' }
      await appendMessage(trx, { chat_id: this.#chatId, id, ...columns }, parent, time)
      await linkFiles(
        trx,
        this.#chatId,
        id,
        filesOfContent(content).map((file) => file.id),
      )
      await deleteQueued(trx, this.#chatId, id)
    })
  }

  /** Reads the bot's connectors each time, since the user may change the bot during the run. */
  readonly #readBotConnectors = () => readBotConnectors(this.#deps.database.db, this.#frame.bot)

  /** Returns a time later than every message of the chat. Only the run adds messages while it is active. */
  #nextTime(): number {
    this.#latestTime = Math.max(this.#deps.now(), this.#latestTime + 1)
    return this.#latestTime
  }
}

function toCallRow(chatId: string, invocation: ToolInvocation) {
  const { replyId, connectorId, connectorName, toolName: tool, arguments: text } = invocation
  // Of a tool that the model made up, there is no connector to name.
  const server = connectorId === null ? null : connectorName
  return { chat_id: chatId, id: replyId, connector_id: connectorId, server, tool, arguments: text }
}

/** The outcome of a call after an unexpected error in Yonder, maybe after the tool had finished. */
const defectiveCall = 'The call failed because of an error in Yonder. The tool may or may not have finished.'
