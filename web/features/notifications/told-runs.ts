import { longReplyMs, type NoticeKind } from '@yonder/contract/lib/notices'
import type { LiveEvent } from '@yonder/contract/live'

/** Something that the user is told about in the page. */
export interface PageNotice {
  readonly kind: NoticeKind
  readonly chatId: string
  /** The name of the bot; undefined when the page has not seen it. */
  readonly bot: string | undefined
  /** The title of the chat; undefined when the page has not seen it. */
  readonly title: string | undefined
}

interface SeenRun {
  readonly since: number
  bot: string | undefined
  asks: boolean
}

/**
 * Follows the runs of the user by the events of the live stream, and calls `onNotice` for those that the server would
 * tell of (`server/notifications/tell.ts`). Returns the listener for the events.
 */
export function followRuns(
  onNotice: (notice: PageNotice) => void,
  now: () => number = Date.now,
): (event: LiveEvent) => void {
  const runs = new Map<string, SeenRun>()
  const titles = new Map<string, string>()
  const seen = (chatId: string): SeenRun => {
    const run = runs.get(chatId) ?? { since: now(), bot: undefined, asks: false }
    runs.set(chatId, run)
    return run
  }
  const tell = (kind: NoticeKind, chatId: string, bot: string | undefined): void =>
    onNotice({ kind, chatId, bot, title: titles.get(chatId) })

  return (event) => {
    if (event.type === 'chats_listed')
      for (const { id, title } of event.chats) if (title !== undefined) titles.set(id, title)
    if (event.type === 'ready') for (const { chatId } of event.runs) seen(chatId)
    if (event.type !== 'run') return
    const { chatId, event: step } = event
    switch (step.type) {
      case 'started':
        runs.set(chatId, { since: now(), bot: step.assistant_message.bot, asks: false })
        break
      case 'reply':
        Object.assign(seen(chatId), { bot: step.assistant_message.bot, asks: false })
        break
      case 'tool_call':
        seen(chatId).asks = step.call.state === 'waiting'
        break
      case 'tool_question':
        if (step.question !== null) tell('call_asks', chatId, seen(chatId).bot)
        break
      case 'ended': {
        const { since, bot, asks } = seen(chatId)
        runs.delete(chatId)
        if (step.status === 'failed' || step.status === 'interrupted') tell('reply_failed', chatId, bot)
        else if (step.status === 'complete' && asks) tell('call_asks', chatId, bot)
        else if (step.status === 'complete' && now() - since >= longReplyMs) tell('reply_ended', chatId, bot)
        break
      }
      default:
    }
  }
}

/** What the page says of it. */
export function wordsOf({ kind, bot, title }: PageNotice, withTitle: boolean): string {
  const place = title === undefined || title === '' || !withTitle ? '' : ` in ‘${title}’`
  const name = bot ?? 'A bot'
  switch (kind) {
    case 'reply_ended':
      return `${name} has answered${place}`
    case 'reply_failed':
      return `${name} could not answer${place}`
    case 'call_asks':
      return `A call needs your approval${place}`
  }
}
