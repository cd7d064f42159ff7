import type { ElicitationField } from '@yonder/contract/elicitation'
import type { ToolQuestion } from '@yonder/contract/tool-call'
import { browserStorage } from '../../../lib/browser-storage.ts'
import type { FieldValue } from './field-values.ts'

type Values = ReadonlyMap<string, FieldValue>

/** The stored entries. A call may show several forms one after the other, so `questionId` names the form. */
interface StoredDraft {
  readonly questionId: string
  readonly entries: Readonly<Record<string, unknown>>
}

/** `personalStorage` removes this key when the user signs out or another user signs in. */
const keyOf = (chatId: string, messageId: string) => `chat_${chatId}_question_${messageId}`

/** The entries of a call's form, stored so that they survive a reload or another page. */
export const elicitationDraft = {
  read(chatId: string, messageId: string, { id, fields }: ToolQuestion): Values {
    const draft = browserStorage.readJson(keyOf(chatId, messageId)) as Partial<StoredDraft> | undefined
    const entries = draft?.entries
    if (draft?.questionId !== id || typeof entries !== 'object' || entries === null) return new Map()
    return new Map(
      fields.flatMap((field) => {
        const entry = Object.hasOwn(entries, field.name) ? entries[field.name] : undefined
        return canShow(field, entry) ? [[field.name, entry] as const] : []
      }),
    )
  },
  write(chatId: string, messageId: string, { id }: ToolQuestion, values: Values): void {
    const draft: StoredDraft = { questionId: id, entries: Object.fromEntries(values) }
    browserStorage.write(keyOf(chatId, messageId), JSON.stringify(draft))
  },
  /** Removes the entries when the form has been answered, or the call is over. */
  clear(chatId: string, messageId: string): void {
    browserStorage.remove(keyOf(chatId, messageId))
  },
}

/** Whether a field can show a stored value. */
function canShow(field: ElicitationField, entry: unknown): entry is FieldValue {
  switch (field.kind) {
    case 'text':
    case 'number':
      return typeof entry === 'string'
    case 'switch':
      return typeof entry === 'boolean'
    case 'choice':
      return (
        Array.isArray(entry) && entry.every((chosen) => field.options.some(({ value }) => value === chosen))
      )
  }
}
