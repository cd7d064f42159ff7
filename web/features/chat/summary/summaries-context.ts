import type { Compaction } from '@yonder/contract/compaction'
import { createContext } from 'react'
import type { PlacedSummary } from './place-summaries.ts'

/** The summaries of a chat's older messages, and what its owner can do with them. */
export interface Summaries {
  readonly chatId: string
  /** The summary after a message of the visible path. */
  readonly after: (messageId: string) => PlacedSummary | undefined
  /**
   * The summary that is being edited, as it was when the editing began. It stays in view when it is removed elsewhere.
   * An edit that was open when the chat was left is restored.
   */
  readonly editing: Compaction | undefined
  /** Whether the chat no longer contains the summary that is being edited. */
  readonly isGone: boolean
  /** Begins an edit, or ends it. */
  readonly edit: (compaction: Compaction | undefined) => void
  /** Stores the text of the edit, so that it survives a reload. */
  readonly storeText: (text: string) => void
  /** Returns the text of the edit; undefined until it has been changed. */
  readonly readText: () => string | undefined
  /** The name of the selected bot, which writes a summary again. Undefined while no bot is selected. */
  readonly botName: string | undefined
  /** Called with a summary as the server has stored it. */
  readonly onChanged: (compaction: Compaction) => void
  readonly onRemoved: (id: string) => void
  /** Loads the chat again after an action failed, since outdated data may be the reason. */
  readonly onFailed: () => void
}

/** Undefined in the shared view, which shows no summaries. */
export const SummariesContext = createContext<Summaries | undefined>(undefined)
