import type { Bot } from '@yonder/contract/bot'
import { Plus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button/button.tsx'
import { BotFormDialog } from './bot-form-dialog.tsx'
import { BotList } from './bot-list.tsx'
import { DeleteBotDialog } from './delete-bot-dialog.tsx'
import { useCreateBot } from './use-create-bot.ts'
import { useDeleteBot } from './use-delete-bot.ts'
import { useUpdateBot } from './use-update-bot.ts'

type OpenDialog =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly bot: Bot }
  | { readonly kind: 'delete'; readonly bot: Bot }

export interface BotsSectionProps {
  /** Called when a bot has got another name. */
  readonly onRename?: (name: string, next: string) => void
}

/** The Bots section of settings (§2.51-§2.54). */
export function BotsSection({ onRename }: BotsSectionProps) {
  const title = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const createBot = useCreateBot()
  const updateBot = useUpdateBot(onRename)
  const deleteBot = useDeleteBot()
  // A save may end after its dialog was left and another one opened.
  const close = () => setDialog((current) => (current === dialog ? null : current))

  const closeAfterDelete = () => {
    flushSync(close)
    // The button that had the focus went with its row.
    addButton.current?.focus()
  }

  return (
    <section aria-labelledby={title}>
      {/* The button is taller than the title, which stands where it does in every section. */}
      <header className="-mt-1 mb-3 flex items-center justify-between gap-4">
        <h2 id={title} className="text-lg font-semibold">
          Bots
        </h2>
        <Button ref={addButton} look="primary" onClick={() => setDialog({ kind: 'add' })}>
          <Plus size={16} aria-hidden />
          Add Bot
        </Button>
      </header>
      <BotList
        onEdit={(bot) => setDialog({ kind: 'edit', bot })}
        onDelete={(bot) => setDialog({ kind: 'delete', bot })}
      />
      {dialog?.kind === 'add' && <BotFormDialog onSave={createBot} onClose={close} />}
      {dialog?.kind === 'edit' && (
        <BotFormDialog
          bot={dialog.bot}
          onSave={(input) => updateBot(dialog.bot.name, input)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteBotDialog
          onDelete={() => deleteBot(dialog.bot.name)}
          onDeleted={closeAfterDelete}
          onCancel={close}
        />
      )}
    </section>
  )
}
