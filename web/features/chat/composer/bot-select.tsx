import { Link } from 'react-router'
import { Select } from '../../../ui/form/select.tsx'
import type { BotChoice } from './use-bot-choice.ts'

/** Selects the bot that replies; each bot is listed as 'name (model)'. */
export function BotSelect({ choice }: { readonly choice: BotChoice }) {
  const { bots, error, selected, select } = choice
  if (bots === undefined)
    return (
      <span role={error === undefined ? undefined : 'alert'} className="px-2 text-sm text-muted">
        {error === undefined ? 'Loading bots...' : 'The bots could not be loaded. Trying again...'}
      </span>
    )
  if (bots.length === 0)
    return (
      <Link to="/settings/bots" className="rounded-control px-2 py-1 text-sm text-accent hover:underline">
        Add a bot to start
      </Link>
    )
  return (
    <span className="inline-flex max-w-64 min-w-0">
      <Select
        look="quiet"
        aria-label="Bot"
        value={selected?.name}
        onChange={(event) => select(event.target.value)}
      >
        {bots.map((bot) => (
          <option key={bot.name} value={bot.name}>
            {`${bot.name} (${bot.model})`}
          </option>
        ))}
      </Select>
    </span>
  )
}
