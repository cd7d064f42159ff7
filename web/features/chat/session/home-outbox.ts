import type { MessageContent } from '@yonder/contract/message'
import type { Failure } from '../../../lib/api/api-error.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { holdLock, whenReleased } from '../../../lib/page-lock.ts'
import { restoreDraft, storageKeys } from '../chat-storage.ts'

/** A message of the home page, until the page of its chat sends it. */
export interface HomeMessage {
  /** The id of the request that reserves the chat, so that a repeated request gets the same chat. */
  readonly request: string
  readonly content: MessageContent
  readonly botName: string
  /** When the last attempt to send it began, in milliseconds since 1970. */
  readonly sentAt: number
  /** The reserved chat. */
  readonly chatId?: string
  /** Why it could not be sent; absent until the attempt has failed. */
  readonly failure?: Failure
}

/** An attempt of this page to send a message. */
export interface SendAttempt {
  /** False after a failure, after a newer attempt has begun, and after this page has removed the message. */
  readonly isActive: () => boolean
  readonly fail: (failure: Failure) => void
  /** Stores the id of the reserved chat. From then on the page of the chat sends the message. */
  readonly handOver: (chatId: string) => void
}

/** The attempts of this page by the request id of their message, with the functions that release their locks. */
const attempts = new Map<string, { readonly attempt: SendAttempt; readonly release: () => void }>()
const listeners = new Set<() => void>()
let listed: readonly HomeMessage[] = []

/**
 * Stores the messages of the home page, so that none is lost by a reload, by a 401 that signs the user out, or when the
 * user opens another page.
 */
export const homeOutbox = {
  /**
   * Stores a message before its chat is reserved. Its lock shows the other tabs that this page is sending it.
   */
  begin(message: Omit<HomeMessage, 'failure' | 'sentAt'>): SendAttempt {
    const { request } = message
    const attempt: SendAttempt = {
      isActive: () => attempts.get(request)?.attempt === attempt,
      fail: (failure) => {
        // A newer attempt of this page may be sending the message.
        if (attempt.isActive() || !attempts.has(request)) fail(request, failure)
      },
      handOver: (chatId) => {
        const stored = read(request)
        if (stored !== undefined) write({ ...stored, chatId })
      },
    }
    end(request)
    attempts.set(request, { attempt, release: holdLock(storageKeys.homeOutbox(request)) })
    write({ ...message, sentAt: Date.now() })
    return attempt
  },
  /** Whether a message is stored and the last attempt to send it has failed. */
  isUnsent: (request: string): boolean => read(request)?.failure !== undefined,
  /**
   * Moves the text back into the input. The request id is kept for the next message, since a chat may be reserved for
   * it. If the chat is known, its page must not send the message when the user opens it.
   */
  edit({ request, content, chatId }: HomeMessage): void {
    remove(request)
    browserStorage.write(storageKeys.homeRequest, request)
    if (chatId !== undefined) {
      browserStorage.remove(storageKeys.newMessage(chatId))
      browserStorage.remove(storageKeys.newBot(chatId))
    }
    restoreDraft(storageKeys.homeDraft, content)
  },
  /** Removes the message of a chat whose page has taken it. */
  confirm(chatId: string): void {
    for (const message of readAll()) if (message.chatId === chatId) remove(message.request)
  },
  /** Called when the home page opens: fails the messages that the pages of their chats have not taken. */
  failAbandoned(): void {
    for (const request of attempts.keys()) fail(request, { cause: 'chat_closed' })
  },
  /** Fails the messages that other pages were sending as soon as those pages are closed, until `signal` is aborted. */
  watchOtherPages(messages: readonly HomeMessage[], signal: AbortSignal): void {
    for (const { request, failure } of messages)
      if (failure === undefined && !attempts.has(request))
        void whenReleased(storageKeys.homeOutbox(request), signal, () =>
          fail(request, { cause: 'page_closed' }),
        )
  },
  subscribe(listener: () => void): () => void {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === null || isOutboxKey(key)) listener()
    }
    listeners.add(listener)
    window.addEventListener('storage', onStorage)
    return () => {
      listeners.delete(listener)
      window.removeEventListener('storage', onStorage)
    }
  },
  /** All messages, in the order of their last attempts. The array stays the same while they do. */
  list(): readonly HomeMessage[] {
    const messages = readAll()
    if (JSON.stringify(messages) !== JSON.stringify(listed)) listed = messages
    return listed
  },
}

const isOutboxKey = (key: string) => key.startsWith(storageKeys.homeOutbox(''))

/** Ends the attempt, and stores the failure unless the message was sent, edited, or removed with the user's data. */
function fail(request: string, failure: Failure): void {
  end(request)
  const stored = read(request)
  if (stored !== undefined) write({ ...stored, failure })
}

function end(request: string): void {
  attempts.get(request)?.release()
  attempts.delete(request)
}

function write(message: HomeMessage): void {
  browserStorage.write(storageKeys.homeOutbox(message.request), JSON.stringify(message))
  notify()
}

function remove(request: string): void {
  end(request)
  browserStorage.remove(storageKeys.homeOutbox(request))
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

function readAll(): readonly HomeMessage[] {
  return browserStorage
    .keys()
    .filter(isOutboxKey)
    .flatMap((key) => parse(browserStorage.read(key)) ?? [])
    .toSorted((a, b) => a.sentAt - b.sentAt)
}

function read(request: string): HomeMessage | undefined {
  return parse(browserStorage.read(storageKeys.homeOutbox(request)))
}

function parse(stored: string | null): HomeMessage | undefined {
  try {
    return (JSON.parse(stored ?? 'null') as HomeMessage | null) ?? undefined
  } catch {
    return undefined
  }
}
