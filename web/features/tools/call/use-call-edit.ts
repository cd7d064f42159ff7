import { useState } from 'react'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { editDraft, type EditDraft } from './edit-draft.ts'

/** The changes of the user to the arguments of a waiting call. */
export interface CallEdit {
  /** Undefined while the arguments are those that the model proposed. */
  readonly draft: EditDraft | undefined
  /** Why the server has refused the changed arguments. */
  readonly refusal: string | undefined
  /** The changed arguments once the user is done; undefined while there are none. */
  readonly edited: string | undefined
  /** Whether the editor was opened since the page was, so that it takes the focus. */
  readonly wasOpened: boolean
  readonly change: (draft: EditDraft | undefined) => void
  /** Opens the editor again, with the reason why the server has refused the arguments. */
  readonly refuse: (text: string, reason: string) => void
}

/** Keeps the changes to the arguments of a call; `callId` as for `editDraft`. */
export function useCallEdit(chatId: string, messageId: string, callId = ''): CallEdit {
  const [draft, setDraft] = useState(() => editDraft.read(chatId, messageId, callId))
  const [refusal, setRefusal] = useState<string>()
  useKeepMounted(draft !== undefined)
  const [wasOpened, setOpened] = useState(false)
  const store = (next: EditDraft | undefined) => {
    setDraft(next)
    setOpened(true)
    editDraft.write(chatId, messageId, callId, next)
  }
  return {
    draft,
    refusal,
    wasOpened,
    edited: draft?.isOpen === false ? draft.text : undefined,
    change: (next) => {
      setRefusal(undefined)
      store(next)
    },
    refuse: (text, reason) => {
      setRefusal(reason)
      store({ text, isOpen: true })
    },
  }
}
