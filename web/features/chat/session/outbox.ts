import type { Chat } from '@yonder/contract/chat'
import type { MessageContent } from '@yonder/contract/message'
import { isBlank } from '@yonder/contract/message-text'
import { isOutage, type Failure } from '../../../lib/api/api-error.ts'
import type { Connection } from '../../../lib/api/connection.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { formatContent, parseContent, storageKeys } from '../chat-storage.ts'
import { homeOutbox } from './home-outbox.ts'

/** A message to be sent. The page creates its id, so that the server stores it once even if it is sent twice. */
export interface OutgoingMessage {
  readonly id: string
  readonly parentId: string | null
  readonly content: MessageContent
  readonly botName: string
  /** Denies only the waiting call of the parent, and not the calls after it. */
  readonly denyOne?: true
  /** Whether the page has written the text to deny a call. Not sent to the server. */
  readonly isDenial?: true
}

/** A message that was not sent, and why. */
export interface UnsentMessage {
  readonly message: OutgoingMessage
  readonly failure: Failure
}

interface OutboxEntry {
  readonly message: OutgoingMessage
  /** When the request was sent or failed, in milliseconds since 1970. */
  readonly sentAt: number
  /** Why it could not be sent; absent until the request has failed. */
  readonly failure?: Failure
}

/** A message that another page has put into the outbox counts as not sent if it is unconfirmed after this time. */
const maxResponseMs = 5000

/** Stores the message of a chat that the server has not confirmed, so that a reload does not lose it. */
export const outbox = {
  read: (chatId: string) => browserStorage.readJson(storageKeys.outbox(chatId)) as OutboxEntry | undefined,
  write(chatId: string, entry: OutboxEntry): void {
    browserStorage.write(storageKeys.outbox(chatId), JSON.stringify(entry))
  },
  /**
   * Stores why a message could not be sent, unless it was removed meanwhile, for instance because the user signed out.
   */
  fail(chatId: string, message: OutgoingMessage, failure: Failure): void {
    if (outbox.read(chatId)?.message.id === message.id)
      outbox.write(chatId, { message, sentAt: Date.now(), failure })
  },
  /** Clears the outbox if it contains the message with this id. */
  confirm(chatId: string, messageId: string | undefined): void {
    if (outbox.read(chatId)?.message.id === messageId) outbox.clear(chatId)
  },
  clear(chatId: string): void {
    browserStorage.remove(storageKeys.outbox(chatId))
  },
  /**
   * Checks whether the server has stored the message, and clears the outbox if it has. Otherwise returns the message;
   * or the time in milliseconds after which to check again, because another tab may be sending it at this moment.
   */
  check({ id: chatId, messages }: Chat): { readonly unsent?: UnsentMessage; readonly checkAgainMs?: number } {
    const entry = outbox.read(chatId)
    if (entry === undefined) return {}
    const { message, sentAt, failure } = entry
    if (messages.some(({ id }) => id === message.id)) {
      outbox.clear(chatId)
      return {}
    }
    const age = Date.now() - sentAt
    if (failure === undefined && age <= maxResponseMs) return { checkAgainMs: maxResponseMs - age + 1 }
    return { unsent: { message, failure: failure ?? { cause: 'page_closed' } } }
  },
}

/** Passes the first message of a new chat from the home page to the page of the chat. */
export const firstMessage = {
  store(chatId: string, content: MessageContent, botName: string): void {
    browserStorage.write(storageKeys.newMessage(chatId), formatContent(content))
    browserStorage.write(storageKeys.newBot(chatId), botName)
  },
  /**
   * Removes and returns the message, and saves its bot as the selected bot of the chat. The message id is derived from
   * the chat's id, so that the server stores the message once even if two tabs send it.
   */
  take(chatId: string): OutgoingMessage | undefined {
    const content = parseContent(browserStorage.read(storageKeys.newMessage(chatId)) ?? '')
    const botName = browserStorage.read(storageKeys.newBot(chatId))
    if (isBlank(content) || botName === null) return undefined
    browserStorage.remove(storageKeys.newMessage(chatId))
    browserStorage.remove(storageKeys.newBot(chatId))
    homeOutbox.confirm(chatId)
    browserStorage.write(storageKeys.chatBot(chatId), botName)
    // An id has at most 64 characters.
    return { id: `${chatId.slice(0, 58)}_first`, parentId: null, content, botName }
  },
}

/**
 * Decides whether a message that an outage kept from the server is sent without a click. This happens once per
 * message and outage. Otherwise a request that, for example, a browser extension blocks would be repeated forever.
 */
export class AutomaticSends {
  readonly #connection: Connection
  /** The id of the last message that was sent without a click, and how many outages there had been by then. */
  #sent: { readonly id: string; readonly outages: number } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Returns whether the message with this id, which failed for this reason, is to be sent now, and counts it as sent:
   * another call for the same message returns false until the next outage.
   */
  claim(id: string, failure: Failure): boolean {
    const outages = this.#connection.countOutages()
    const isSent = this.#sent?.id === id && this.#sent.outages === outages
    if (!isOutage(failure) || this.#connection.get() !== 'online' || isSent) return false
    this.#sent = { id, outages }
    return true
  }
}
