import { maxTitleLength } from '@yonder/contract/lib/chat-limits'
import type { SkippedChat } from '@yonder/contract/transfer'
import { cutText, fitText, toVisibleLine } from '../lib/text.ts'
import type { UnreadableChat } from './imported-chat.ts'

/** Characters of a problem. It may name a file of an archive, whose name has up to 65,535. */
const maxProblemChars = 500

/** Presents a chat that was not imported. A report has a thousand of them, and is stored and read again and again. */
export function presentSkipped({ title, problem }: Pick<UnreadableChat, 'title' | 'problem'>): SkippedChat {
  // Cleaning a title of megabytes would take long.
  const shown = title === null ? '' : toVisibleLine(title.slice(0, maxTitleLength * 2))
  return {
    title: shown === '' ? null : fitText(shown, maxTitleLength),
    problem: cutText(problem, maxProblemChars),
  }
}
