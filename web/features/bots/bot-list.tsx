import type { Bot } from '@yonder/contract/bot'
import { Bot as BotIcon } from 'lucide-react'
import { readReason } from '../../lib/read-reason.ts'
import { EmptyState, ErrorState, LoadingState } from '../../ui/states/states.tsx'
import { BotRow } from './bot-row.tsx'
import { useBotList } from './use-bot-list.ts'

export interface BotListProps {
  readonly onEdit: (bot: Bot) => void
  readonly onDelete: (bot: Bot) => void
}

/** The bots, or why there are none to see (§2.51, §2.52). What was read once stays when a later read fails. */
export function BotList({ onEdit, onDelete }: BotListProps) {
  const { data: bots, error } = useBotList()
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
        A bot is a name and the model that answers under it. Add one to start a chat.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Bots" className="divide-y divide-line">
      {bots.map((bot) => (
        <BotRow key={bot.name} bot={bot} onEdit={() => onEdit(bot)} onDelete={() => onDelete(bot)} />
      ))}
    </ul>
  )
}
