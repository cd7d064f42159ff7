import type { Bot } from '@yonder/contract/bot'
import { Bot as BotIcon, Plus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocalModels } from '../../data/bot-checks.ts'
import { useBots, useDeleteBot } from '../../data/bots.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { Button } from '../../ui/button/button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { Entry, EntryButton, EntryList } from '../../ui/entry-list.tsx'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../ui/states/states.tsx'
import { BotFormDialog } from './bot-form-dialog.tsx'

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
  const deleteBot = useDeleteBot()
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
      <BotList onOpen={setDialog} />
      {dialog?.kind === 'add' && <BotFormDialog local={local} onClose={close} />}
      {dialog?.kind === 'edit' && <BotFormDialog bot={dialog.bot} onRename={onRename} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title="Delete Bot"
          message="Are you sure you want to delete this bot? This action cannot be undone."
          action="Delete"
          onConfirm={async () => (await deleteBot.run(dialog.bot.name)).done}
          onDone={closeAfterDelete}
          onCancel={close}
        />
      )}
    </section>
  )
}

/** A loaded list stays when a later request fails. */
function BotList({ onOpen }: { readonly onOpen: (dialog: OpenDialog) => void }) {
  const { data: bots, error } = useBots()
  if (bots === undefined && error !== undefined)
    return (
      <ErrorState title="Error loading bot configurations" onRetry={() => location.reload()}>
        {readReason(error)}
      </ErrorState>
    )
  if (bots === undefined) return <LoadingState>Loading bot configurations...</LoadingState>
  if (bots.length === 0)
    return (
      <EmptyState icon={<BotIcon size={22} aria-hidden />} title="No bot configurations found">
        A bot is a model with a name of your choice. Add one to start a chat.
      </EmptyState>
    )
  return (
    <EntryList label="Bots">
      {bots.map((bot) => (
        <Entry
          key={bot.name}
          name={<bdi>{bot.name}</bdi>}
          detail={
            <>
              <bdi title={bot.model} className="line-clamp-2 wrap-anywhere">
                {bot.model}
              </bdi>
              {(bot.base_url !== null || bot.api_key !== null) && (
                <p className="text-xs">
                  {bot.base_url === null ? 'with your own key' : 'at your own provider'}
                </p>
              )}
            </>
          }
          actions={
            <>
              <EntryButton onClick={() => onOpen({ kind: 'edit', bot })}>Edit</EntryButton>
              <EntryButton onClick={() => onOpen({ kind: 'delete', bot })}>Delete</EntryButton>
            </>
          }
        />
      ))}
    </EntryList>
  )
}
