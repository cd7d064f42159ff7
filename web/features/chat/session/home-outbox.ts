import type { MessageContent } from '@yonder/contract/message'
import type { Failure } from '../../../lib/api/api-error.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { clearDraft, restoreDraft, storageKeys } from '../chat-storage.ts'

/** A message that begins a chat on the home page or on that of a project, until the page of its chat sends it. */
export interface HomeMessage {
  /** The id of the request that reserves the chat, so that a repeated request gets the same chat. */
  readonly request: string
  readonly content: MessageContent
  readonly botName: string
  /** The storage key of the input in which it was written, which contains it until it is sent or has failed. */
  readonly draftKey: string
  /** The project in which the chat begins. */
  readonly project?: string | undefined
  /** When the last attempt to send it began, in milliseconds since 1970. */
  readonly sentAt: number
  /** The reserved chat. From then on the page of the chat sends the message. */
  readonly chatId?: string
  /** Why it could not be sent; absent until the attempt has failed. */
  readonly failure?: Failure
}

/** A message counts as not sent if its page has crashed, which is assumed after this time. */
const maxAttemptMs = 60_000

/**
 * Stores these messages, so that none is lost by a reload, by a 401 that signs the user out, or when the
 * user opens another page.
 */
export const homeOutbox = {
  /** Whether a message is stored as this attempt to send it left it: not failed, edited, removed or sent again. */
  isSending({ request, sentAt }: HomeMessage): boolean {
    const stored = read(request)
    return stored?.sentAt === sentAt && stored.failure === undefined
  },
  /**
   * Stores why an attempt to send a message failed, unless the message was removed or sent again. The message is shown
   * from then on, and no longer in the input.
   */
  fail(message: HomeMessage, failure: Failure): void {
    if (read(message.request)?.sentAt !== message.sentAt) return
    homeOutbox.write({ ...message, failure })
    clearDraft(message.draftKey, message.content)
  },
  /** Whether a message is stored and the last attempt to send it has failed. */
  isUnsent: (request: string): boolean => read(request)?.failure !== undefined,
  write(message: HomeMessage): void {
    browserStorage.write(storageKeys.homeOutbox(message.request), JSON.stringify(message))
  },
  /**
   * Moves the text back into the input with this key. If the chat is known, its page must not send the message when the user opens
   * it.
   */
  edit({ request, content, chatId }: HomeMessage, draftKey: string): void {
    browserStorage.remove(storageKeys.homeOutbox(request))
    if (chatId !== undefined) {
      browserStorage.remove(storageKeys.newMessage(chatId))
      browserStorage.remove(storageKeys.newBot(chatId))
    }
    restoreDraft(draftKey, content)
  },
  /** Removes the message of a chat whose page has taken it. */
  confirm(chatId: string): void {
    for (const { request, chatId: reserved } of homeOutbox.list())
      if (reserved === chatId) browserStorage.remove(storageKeys.homeOutbox(request))
  },
  /** Called when such a page opens: fails the messages that the pages of their chats have not taken. */
  failAbandoned(): void {
    for (const message of homeOutbox.list()) {
      const isOld = message.sentAt < Date.now() - maxAttemptMs
      const cause = message.chatId !== undefined ? 'chat_closed' : isOld ? 'page_closed' : undefined
      if (cause !== undefined && homeOutbox.isSending(message)) homeOutbox.fail(message, { cause })
    }
  },
  /** Returns all messages, in the order of their last attempts. */
  list: (): readonly HomeMessage[] =>
    browserStorage
      .keys()
      .filter((key) => key.startsWith(storageKeys.homeOutbox('')))
      .flatMap((key) => (browserStorage.readJson(key) as HomeMessage | undefined) ?? [])
      .toSorted((a, b) => a.sentAt - b.sentAt),
}

function read(request: string): HomeMessage | undefined {
  return browserStorage.readJson(storageKeys.homeOutbox(request)) as HomeMessage | undefined
}
