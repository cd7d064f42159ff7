import type { Bot } from '@yonder/contract/bot'
import { Bot as BotIcon } from 'lucide-react'
import { useId } from 'react'
import { useBots } from '../../data/bots.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { Button } from '../../ui/button/button.tsx'
import { Entry, EntryList } from '../../ui/entry-list.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../ui/states/states.tsx'

export interface BotListProps {
  readonly onEdit: (bot: Bot) => void
  readonly onDelete: (bot: Bot) => void
}

/**
 * The list of bots and its loading, empty and error states. A loaded list stays when a later request
 * fails.
 */
export function BotList({ onEdit, onDelete }: BotListProps) {
  const { data: bots, error } = useBots()
  if (bots === undefined && error !== undefined) {
    return (
      <ErrorState
        title="Error loading bot configurations"
        retry={{ label: 'Try again', onRetry: () => location.reload() }}
      >
        {readReason(error)}
      </ErrorState>
    )
  }
  if (bots === undefined) return <LoadingState>Loading bot configurations...</LoadingState>
  if (bots.length === 0) {
    return (
      <EmptyState icon={<BotIcon size={22} aria-hidden />} title="No bot configurations found">
        A bot is a model with a name of your choice. Add one to start a chat.
      </EmptyState>
    )
  }
  return (
    <EntryList label="Bots">
      {bots.map((bot) => (
        <BotRow key={bot.name} bot={bot} onEdit={() => onEdit(bot)} onDelete={() => onDelete(bot)} />
      ))}
    </EntryList>
  )
}

interface BotRowProps {
  readonly bot: Bot
  readonly onEdit: () => void
  readonly onDelete: () => void
}

function BotRow({ bot, onEdit, onDelete }: BotRowProps) {
  const id = useId()
  const hasOwnAddressOrKey = bot.base_url !== null || bot.api_key !== null
  return (
    <Entry
      id={id}
      name={<bdi>{bot.name}</bdi>}
      detail={
        <>
          <bdi title={bot.model} className="line-clamp-2 wrap-anywhere">
            {bot.model}
          </bdi>
          {hasOwnAddressOrKey && (
            <p className="text-xs">{bot.base_url === null ? 'with your own key' : 'at your own provider'}</p>
          )}
        </>
      }
      actions={
        <>
          <Button size="small" look="muted" aria-describedby={id} onClick={onEdit}>
            Edit
          </Button>
          <Button size="small" look="muted" aria-describedby={id} onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    />
  )
}
