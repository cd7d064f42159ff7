import { browserStorage } from '../../../lib/browser-storage.ts'

/** The arguments of a waiting call as the user has changed them so far. */
export interface EditDraft {
  /** JSON text; not valid yet while the user writes. */
  readonly text: string
  /** Whether the editor is open. Otherwise the changes are done, and the call can be allowed with them. */
  readonly isOpen: boolean
}

type Drafts = Readonly<Record<string, EditDraft>>

/** `personalStorage` removes this key, like an answer to a tool, when the user signs out or another user signs in. */
const keyOf = (chatId: string, messageId: string) => `chat_${chatId}_question_${messageId}_arguments`

function readAll(chatId: string, messageId: string): Drafts {
  const stored = browserStorage.readJson(keyOf(chatId, messageId))
  return typeof stored === 'object' && stored !== null ? (stored as Drafts) : {}
}

/**
 * The changed arguments of the calls of a step, stored so that they survive a reload or another page. `callId` is the id of
 * a later call of the step, or empty for the call of the reply itself.
 */
export const editDraft = {
  read(chatId: string, messageId: string, callId: string): EditDraft | undefined {
    const drafts = readAll(chatId, messageId)
    const draft = Object.hasOwn(drafts, callId) ? drafts[callId] : undefined
    return typeof draft?.text === 'string' ? { text: draft.text, isOpen: draft.isOpen } : undefined
  },
  write(chatId: string, messageId: string, callId: string, draft: EditDraft | undefined): void {
    const { [callId]: _, ...others } = readAll(chatId, messageId)
    const drafts = draft === undefined ? others : { ...others, [callId]: draft }
    if (Object.keys(drafts).length === 0) editDraft.clear(chatId, messageId)
    else browserStorage.write(keyOf(chatId, messageId), JSON.stringify(drafts))
  },
  /** Removes the changes of all calls of the step when its first call has been decided. */
  clear(chatId: string, messageId: string): void {
    browserStorage.remove(keyOf(chatId, messageId))
  },
}
