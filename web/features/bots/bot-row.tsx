import type { Bot } from '@yonder/contract/bot'
import { useId } from 'react'
import { Button } from '../../ui/button/button.tsx'

export interface BotRowProps {
  readonly bot: Bot
  readonly onEdit: () => void
  readonly onDelete: () => void
}

export function BotRow({ bot, onEdit, onDelete }: BotRowProps) {
  const name = useId()
  const ownKey = bot.base_url !== null || bot.api_key !== null
  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p id={name} className="text-sm font-medium wrap-anywhere">
          <bdi>{bot.name}</bdi>
        </p>
        <p className="text-xs text-muted">
          <bdi title={bot.model} className="line-clamp-2 wrap-anywhere">
            {bot.model}
          </bdi>
          {ownKey && <span>{bot.base_url === null ? 'with your own key' : 'at your own provider'}</span>}
        </p>
      </div>
      {/* A last button without a border ends where its word does. */}
      <div className="-mr-3 flex shrink-0 gap-1">
        <Button size="small" look="plain" aria-describedby={name} onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" look="plain" aria-describedby={name} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </li>
  )
}
