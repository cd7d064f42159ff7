import type { Bot } from '@yonder/contract/bot'
import { Plus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocalModels } from '../../data/bot-checks.ts'
import { useDeleteBot } from '../../data/bots.ts'
import { Button } from '../../ui/button/button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { BotFormDialog } from './bot-form-dialog.tsx'
import { BotList } from './bot-list.tsx'

type OpenDialog =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly bot: Bot }
  | { readonly kind: 'delete'; readonly bot: Bot }

export interface BotsSectionProps {
  /** Called when a bot was renamed. */
  readonly onRename?: (name: string, next: string) => void
}

/** The Bots section of settings. */
export function BotsSection({ onRename }: BotsSectionProps) {
  const title = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  // Requested before the dialog opens, because models that arrive later move its fields.
  const local = useLocalModels()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  // Closes only the dialog that sent the request: meanwhile the user can have closed it and opened another.
  const close = () => setDialog((current) => (current === dialog ? null : current))

  const closeAfterDelete = () => {
    flushSync(close)
    // The focused button was removed with its row.
    addButton.current?.focus()
  }

  return (
    <section aria-labelledby={title}>
      <SettingsHeader id={title} title="Bots">
        <Button ref={addButton} look="primary" onClick={() => setDialog({ kind: 'add' })}>
          <Plus size={16} aria-hidden />
          Add Bot
        </Button>
      </SettingsHeader>
      <BotList
        onEdit={(bot) => setDialog({ kind: 'edit', bot })}
        onDelete={(bot) => setDialog({ kind: 'delete', bot })}
      />
      {dialog?.kind === 'add' && <BotFormDialog local={local} onClose={close} />}
      {dialog?.kind === 'edit' && <BotFormDialog bot={dialog.bot} onRename={onRename} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <DeleteBotDialog bot={dialog.bot} onDeleted={closeAfterDelete} onCancel={close} />
      )}
    </section>
  )
}

interface DeleteBotDialogProps {
  readonly bot: Bot
  readonly onDeleted: () => void
  readonly onCancel: () => void
}

/** Asks the user to confirm the deletion of a bot. */
function DeleteBotDialog({ bot, onDeleted, onCancel }: DeleteBotDialogProps) {
  const deleteBot = useDeleteBot()
  return (
    <ConfirmDialog
      title="Delete Bot"
      message="Are you sure you want to delete this bot? This action cannot be undone."
      action="Delete"
      onConfirm={async () => (await deleteBot.run(bot.name)).done}
      onDone={onDeleted}
      onCancel={onCancel}
    />
  )
}
