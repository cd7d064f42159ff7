import type { Bot } from '@yonder/contract/bot'
import { googleIntegrations, titleOfIntegration } from '@yonder/contract/integration-names'
import {
  Calendar,
  Mail,
  MessageCircleQuestionMark,
  PenLine,
  Sigma,
  Table,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, useId } from 'react'
import { useHasTenChats } from '../../../data/chats.ts'
import { useIntegrations } from '../../../data/integrations.ts'
import { useStore } from '../../../lib/store.ts'
import { Tooltip } from '../../../ui/tooltip/tooltip.tsx'
import { thingsToTryPreference } from '../../preferences/things-to-try.ts'

export interface ThingsToTryProps {
  /** The bot that will reply. */
  readonly bot: Bot | undefined
  /** Called with the text that goes into the input. */
  readonly onTry: (text: string) => void
  /** Called after the user has hidden the list. */
  readonly onHide: () => void
}

/** Three messages with which one can begin. A click only fills the input. */
export function ThingsToTry({ bot, onTry, onHide }: ThingsToTryProps) {
  const title = useId()
  const preference = useStore(thingsToTryPreference)
  const hasTenChats = useHasTenChats(preference === 'auto')
  const { data: integrations } = useIntegrations()
  useEffect(() => {
    if (preference === 'auto' && hasTenChats === true) thingsToTryPreference.set('hidden')
  }, [preference, hasTenChats])
  const isWanted = preference === 'shown' || (preference === 'auto' && hasTenChats === false)
  // The list appears once, when it is known what is connected.
  if (!isWanted || bot === undefined || integrations === undefined) return null
  const connected = integrations.filter((integration) => integration.connected).map(({ name }) => name)
  return (
    <section aria-labelledby={title} className="animate-appear">
      <div className="flex items-center justify-between pl-2.5 text-xs text-muted">
        <h2 id={title}>Things to try</h2>
        <Tooltip text="The general settings show them again">
          <button
            type="button"
            className="touch-target rounded-control px-2 py-1 transition-colors hover:bg-hover hover:text-ink"
            onClick={() => {
              thingsToTryPreference.set('hidden')
              onHide()
            }}
          >
            Hide
          </button>
        </Tooltip>
      </div>
      <ul>
        {suggest(bot, connected).map(({ text, Icon }) => (
          <li key={text}>
            <button
              type="button"
              className="touch-target flex min-h-9 w-full items-center gap-2.5 rounded-control px-2.5 py-1.5 text-left text-sm transition-colors hover:bg-hover"
              onClick={() => onTry(text)}
            >
              <Icon size={16} aria-hidden className="shrink-0 text-muted" />
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Suggestion {
  readonly text: string
  readonly Icon: LucideIcon
}

/** Some words also make the demo model show what a reply can contain. */
const general: readonly Suggestion[] = [
  { text: 'Compare train and plane in a table', Icon: Table },
  { text: 'Explain interest with a formula', Icon: Sigma },
  { text: 'Write a polite payment reminder', Icon: PenLine },
]
const ownPurpose: Suggestion = { text: 'What can you help me with?', Icon: MessageCircleQuestionMark }
const ofGoogle = {
  'google-calendar': { text: 'What is in my calendar this week?', Icon: Calendar },
  'google-gmail': { text: 'Summarise my unread mails of today', Icon: Mail },
} satisfies Readonly<Record<(typeof googleIntegrations)[number], Suggestion>>

/** One suggestion uses a connected account that the bot may use. A bot with instructions may have a purpose of its own. */
function suggest({ connectors, instructions }: Bot, connected: readonly string[]): readonly Suggestion[] {
  const usable = googleIntegrations.findLast(
    (name) => connected.includes(name) && connectors?.includes(titleOfIntegration(name)) !== false,
  )
  return [
    ...(usable === undefined ? [] : [ofGoogle[usable]]),
    ...(instructions ? [ownPurpose] : []),
    ...general,
  ].slice(0, 3)
}
