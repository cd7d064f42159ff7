import type { Message } from '@yonder/contract/message'
import { Pencil, RefreshCw } from 'lucide-react'
import { use } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { MessageActionsContext } from './message-actions.ts'

/** What the owner of the chat can do with a message: edit what they wrote, ask for another reply (§4.24). */
export function MessageTools({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  if (actions === undefined) return null
  const { busy, edit, regenerate } = actions
  if (message.role === 'user')
    return (
      <IconButton
        label="Edit message"
        size="small"
        data-edit
        disabled={busy}
        onClick={() => edit(message.id)}
      >
        <Pencil size={16} aria-hidden />
      </IconButton>
    )
  // A reply that did not end well offers it in words.
  if (message.status !== 'complete') return null
  return (
    <IconButton
      label="Regenerate"
      size="small"
      disabled={busy || regenerate === undefined}
      onClick={() => regenerate?.(message)}
    >
      <RefreshCw size={16} aria-hidden />
    </IconButton>
  )
}
