import type { Compaction } from '@yonder/contract/compaction'
import { createContext } from 'react'
import type { PlacedSummary } from './place-summaries.ts'

/** The summaries of a chat's older messages, and what its owner can do with them. */
export interface Summaries {
  readonly chatId: string
  /** The summary after a message of the visible path. */
  readonly after: (messageId: string) => PlacedSummary | undefined
  /** Whether the chat no longer contains a summary that is being edited. */
  readonly isGone: (id: string) => boolean
  /** Keeps a summary in view while it is edited, even if it is taken back elsewhere; called with undefined at the end. */
  readonly edit: (compaction: Compaction | undefined) => void
  /** The bot that would write a summary again: the selected one. Undefined while no bot is selected. */
  readonly botName: string | undefined
  /** Called with a summary as the server has stored it. */
  readonly onChanged: (compaction: Compaction) => void
  readonly onTakenBack: (id: string) => void
  /** Called when an action failed, since outdated data may be the reason. */
  readonly onFailed: () => void
}

/** Undefined in the shared view, which shows no summaries (§26.11). */
export const SummariesContext = createContext<Summaries | undefined>(undefined)
