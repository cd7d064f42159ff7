import type { FileRef, MessageContent } from '@yonder/contract/message'
import { filesOfContent, isSameContent, textOfContent, toContent } from '@yonder/contract/message-text'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { browserStorage } from '../../lib/browser-storage.ts'
import { keptFilesDatabase } from '../../lib/kept-files-database.ts'

/**
 * The browser storage keys of chats. The specification fixes the keys of the selected bots and of the first
 * message of a new chat.
 */
export const storageKeys = {
  homeBot: 'home_page_selected_bot',
  homeDraft: 'home_page_draft',
  projectDraft: (projectId: string) => `project_${projectId}_draft`,
  projectInstructions: (projectId: string) => `project_${projectId}_instructions`,
  homeOutbox: (request: string) => `home_page_outbox_${request}`,
  chatBot: (chatId: string) => `chat_${chatId}_selectedBot`,
  newMessage: (chatId: string) => `newChat_${chatId}_message`,
  newBot: (chatId: string) => `newChat_${chatId}_bot`,
  edit: (chatId: string, messageId: string) => `chat_${chatId}_edit_${messageId}`,
  summary: (chatId: string, id: string) => `chat_${chatId}_summary_${id}`,
  draft: (chatId: string) => `chat_${chatId}_draft`,
  outbox: (chatId: string) => `chat_${chatId}_outbox`,
  queue: (chatId: string) => `chat_${chatId}_queue`,
} as const

/** The key of the id of the user whose entries are stored. It ends with `leftMark` while that user is signed out. */
const ownerKey = 'chat_storage_owner'
const leftMark = ' (left)'
/** Stored from a sign-in after a sign-out until the texts that the server has kept are taken back. */
const takeBackKey = 'chat_storage_take_back'
/**
 * The keys of texts that the user has written, including the entries of elicitation forms. The bot of a first message is
 * removed with the texts.
 */
const textKeys = [
  /^home_page_draft$/,
  /^home_page_outbox_./,
  /^project_.+_(?:draft|instructions)$/,
  /^chat_.+_(?:draft|outbox|queue)$/,
  /^chat_.+_(?:edit|summary|question)_./,
  /^newChat_.+_(?:message|bot)$/,
]
/** The key of an answer to an elicitation, which may be a secret and never leaves the browser before it is sent. */
const answerKey = /^chat_.+_question_./
/** The keys of what the user has chosen: bots, and the place of the list of chats (`list-layout.ts`). */
const choiceKeys = /^(?:home_page_selected_bot|chat_.+_selectedBot|chat_list_.+)$/

/** Removes chat data from the browser, so that the next user of the browser does not see it. */
export const personalStorage = {
  /** Called with the signed-in user's id before a screen reads the storage. Removes the entries of another user. */
  setOwner(userId: string): void {
    const owner = browserStorage.read(ownerKey)
    if (owner === userId) return
    if (owner !== null && owner !== userId + leftMark) {
      removeKeys((key) => isTextKey(key) || choiceKeys.test(key))
      forgetFiles()
    }
    browserStorage.write(ownerKey, userId)
    // Somebody has signed out of this browser since the user's last visit.
    if (owner !== null) browserStorage.write(takeBackKey, 'yes')
  },
  /** The texts that were not sent, by their keys: what the server keeps from a sign-out to the next sign-in. */
  readUnsent(): Readonly<Record<string, string>> {
    const keys = browserStorage.keys().filter((key) => isTextKey(key) && !answerKey.test(key))
    return Object.fromEntries(
      keys.map((key) => [key, (browserStorage.read(key) ?? '').replace(partsMark, sentPartsMark)]),
    )
  },
  /** Whether the server may have texts that were kept when the user signed out. */
  mayTakeBack: () => browserStorage.read(takeBackKey) !== null,
  /** Puts texts back that the server has kept: a draft above what was written since, and any other where there is none. */
  restoreUnsent(texts: Readonly<Record<string, string>>): void {
    for (const [key, kept] of Object.entries(texts)) {
      if (!isTextKey(key) || answerKey.test(key)) continue
      const text = kept.replace(sentPartsMark, partsMark)
      if (key.endsWith('_draft')) restoreDraft(key, parseContent(text))
      else if (drafts.read(key) === '') drafts.write(key, text)
    }
    browserStorage.remove(takeBackKey)
  },
  /**
   * Called when the account is deleted: removes everything but the theme. The next user's sign-in removes what another
   * tab may still write.
   */
  clearAll(): void {
    removeKeys((key) => key !== 'theme')
    forgetFiles()
    browserStorage.write(ownerKey, leftMark)
  },
  /** Called on sign-out. Removes every text with its files, but not the selected bots. */
  clearTexts(): void {
    removeKeys(isTextKey)
    forgetFiles()
    const owner = browserStorage.read(ownerKey)
    if (owner !== null && !owner.endsWith(leftMark)) browserStorage.write(ownerKey, owner + leftMark)
  },
}

/** Removes the files that were being uploaded. */
function forgetFiles(): void {
  try {
    indexedDB.deleteDatabase(keptFilesDatabase)
  } catch {
    // Without a database of the browser no file is kept.
  }
}

function isTextKey(key: string): boolean {
  return textKeys.some((pattern) => pattern.test(key))
}

function removeKeys(shouldRemove: (key: string) => boolean): void {
  for (const key of browserStorage.keys()) if (shouldRemove(key)) browserStorage.remove(key)
}

/** The texts of the inputs on this page. Other tabs write to the same storage keys and must not change these texts. */
const openTexts = new Map<string, string>()

/** Unsent text, stored under a key so that it survives a reload and a visit to another page. */
export const drafts = {
  read: (key: string): string => openTexts.get(key) ?? browserStorage.read(key) ?? '',
  write(key: string, text: string): void {
    if (openTexts.has(key)) openTexts.set(key, text)
    if (text === '') browserStorage.remove(key)
    else browserStorage.write(key, text)
  },
}

/** Begins stored content with files, since no text that a user enters begins with it. */
const partsMark = '\0'
/** The same in texts that are kept by the server, which stores no NUL. No text that a user enters has it either. */
const sentPartsMark = '\u0001'

/** Writes content for the browser storage, where a text without files is stored as it is. */
export function formatContent(content: MessageContent): string {
  return typeof content === 'string' ? content : `${partsMark}${JSON.stringify(content)}`
}

export function parseContent(stored: string): MessageContent {
  return stored.startsWith(partsMark) ? (JSON.parse(stored.slice(1)) as MessageContent) : stored
}

/** The stored form of an edited message from which all was removed; the empty text stands for an unchanged one. */
const emptiedContent = `${partsMark}""`

/**
 * What an input contains, and its setter. What is stored is only the initial value; without it that is `before`, the
 * message that is edited.
 */
export function useDraft(
  key: string,
  before: MessageContent = '',
): readonly [MessageContent, (content: MessageContent) => void] {
  const subscribe = useCallback(
    (listener: () => void) => {
      openTexts.set(key, drafts.read(key))
      const unsubscribe = browserStorage.subscribe(listener)
      return () => {
        unsubscribe()
        openTexts.delete(key)
      }
    },
    [key],
  )
  const stored = useSyncExternalStore(subscribe, () => drafts.read(key))
  const set = (content: MessageContent) => {
    const text = formatContent(content)
    const isUnchanged = text === formatContent(before)
    drafts.write(key, isUnchanged ? '' : text === '' ? emptiedContent : text)
  }
  const content = useMemo(() => (stored === '' ? before : parseContent(stored)), [stored, before])
  return [content, set]
}

/** Changes the files of a draft, whether or not its input is on the page. Nothing happens when it is gone. */
export function changeDraftFiles(
  key: string,
  change: (files: readonly FileRef[]) => readonly FileRef[],
): void {
  const content = parseContent(drafts.read(key))
  const files = filesOfContent(content)
  const next = change(files)
  if (next !== files) drafts.write(key, formatContent(toContent(textOfContent(content), next)))
}

/** Empties the input with this key if it still contains this content. */
export function clearDraft(key: string, content: MessageContent): void {
  if (isSameContent(parseContent(drafts.read(key)), content)) drafts.write(key, '')
}

/** Puts content back into the input with this key, above what the user has entered since. */
export function restoreDraft(key: string, content: MessageContent): void {
  const current = parseContent(drafts.read(key))
  const texts = [content, current].map(textOfContent).filter((text) => text.trim() !== '')
  const isEntered = texts[0]?.trim() === texts[1]?.trim()
  const files = [content, current].flatMap(filesOfContent)
  const distinct = new Map(files.map((file) => [file.id, file])).values()
  drafts.write(key, formatContent(toContent(texts.slice(isEntered ? 1 : 0).join('\n\n'), [...distinct])))
}
