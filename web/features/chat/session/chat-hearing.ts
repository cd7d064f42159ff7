import { emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { RunEvent } from '@yonder/contract/completion'
import type { LiveRun } from '@yonder/contract/live'
import type { Message } from '@yonder/contract/message'
import { advanceRun } from './advance-run.ts'
import { firstReply } from './first-reply.ts'
import { judgeEvent } from './judge-event.ts'

/** The chat that hears (`live-chat.ts`). */
export interface HearingChat {
  /** Whether somebody looks at it. */
  readonly isShown: () => boolean
  readonly getRun: () => RunState | undefined
  /** The last run that ended here. */
  readonly getEnded: () => RunState | undefined
  /** The chat as it was read and as runs have added to it. */
  readonly getCached: () => Chat | undefined
  readonly advance: (run: RunState, event: RunEvent) => void
  /** Follows a run that began elsewhere with this message. */
  readonly begin: (run: RunState, question: Message) => void
  /** Reads the chat again. */
  readonly refresh: () => void
}

/** What the live stream tells a chat: nothing is taken twice, and what was missed makes the chat be read again. */
export class ChatHearing {
  readonly #chat: HearingChat
  /** The run that is followed through the live stream, named by its first reply; absent when it has a stream of its own. */
  liveId: string | undefined
  #lastRead: Chat | undefined
  #reading = 0
  #holds = 0
  /** What was told while the chat was read. */
  #early: (() => void)[] = []

  constructor(chat: HearingChat) {
    this.#chat = chat
  }

  /** Reads the chat; what is told meanwhile is heard again after `takeUp`. */
  async whileReading(
    read: () => Promise<Chat | undefined>,
    takeUp: (chat: Chat) => void,
  ): Promise<Chat | undefined> {
    this.#reading += 1
    try {
      const chat = await read()
      this.#lastRead = chat ?? this.#lastRead
      if (chat !== undefined) takeUp(chat)
      return chat
    } finally {
      this.#reading -= 1
      if (this.#reading === 0) for (const tell of this.#early.splice(0)) tell()
    }
  }

  /** An event of a run in this chat. */
  hear(messageId: string, event: RunEvent): void {
    const run = this.#chat.getRun()
    if (run === undefined && !this.#chat.isShown()) return
    const known = { run, liveId: this.liveId, isOver: () => this.#isOver(messageId, event) }
    const verdict = judgeEvent(known, messageId, event)
    if (verdict === 'advance' && run !== undefined) this.#chat.advance(advanceRun(run, event), event)
    else if (verdict === 'begin' && event.type === 'started') this.#begin(messageId, event)
    else if (this.#reading > 0) this.#early.push(() => this.hear(messageId, event))
    else if (verdict === 'reread') this.#chat.refresh()
  }

  /** A live stream has begun; `told` is what is being written into this chat. */
  catchUp(told: LiveRun | undefined, mayHaveMissed: boolean): void {
    if (!this.#chat.isShown()) return
    if (this.#reading > 0) return void this.#early.push(() => this.catchUp(told, mayHaveMissed))
    const run = this.#chat.getRun()
    if (run !== undefined && this.liveId === undefined) return
    const isKnown =
      told === undefined
        ? run === undefined && !mayHaveMissed
        : told.messageId === this.liveId && told.seq <= (run?.seq ?? 0)
    if (!isKnown) this.#chat.refresh()
  }

  /** Something changed in this chat elsewhere. */
  readAgain(): void {
    if (this.#chat.isShown() && this.#holds === 0) this.#chat.refresh()
  }

  /** Keeps a change of this page in view while the server hears of it: who holds reads the chat again at the end. */
  hold(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
    }
  }

  /** Whether a chat as it was just read knows more of the run than was told. */
  isOutdated(chat: Chat): boolean {
    const run = this.#chat.getRun()
    if (run === undefined || this.liveId === undefined) return false
    if (chat.run?.message_id === this.liveId) return chat.run.seq > run.seq
    // A chat without its reply was read before the run began, and so was one in which its call still waits.
    const reply = chat.messages.find(({ id }) => id === this.liveId)
    const state = firstReply(run)?.call?.state ?? 'waiting'
    return reply !== undefined && (reply.call?.state !== 'waiting' || state === 'waiting')
  }

  #begin(messageId: string, event: Extract<RunEvent, { type: 'started' }>): void {
    const { user_message: question } = event
    const missed = this.#chat.getRun() !== undefined
    this.#chat.begin(advanceRun(emptyRun, event), question)
    this.liveId = messageId
    const parent = question.parent_id
    const hangs = parent === null || this.#chat.getCached()?.messages.some(({ id }) => id === parent) === true
    if (missed || !hangs) this.#chat.refresh()
  }

  #isOver(messageId: string, event: RunEvent): boolean {
    const chats = [this.#chat.getCached(), this.#lastRead, this.#chat.getEnded()]
    const known = chats.flatMap(
      (chat) => chat?.messages.filter(({ id, status }) => id === messageId && status !== 'streaming') ?? [],
    )
    if (event.type !== 'started' || event.assistant_message.call === undefined) return known.length > 0
    // A reply that waited was finished already when its call was allowed.
    return known.some(({ call }) => call?.state === 'answered' || call?.state === 'denied')
  }
}
