import { findWords, foldWords } from '@yonder/contract/lib/fold-text'
import type { ReactNode } from 'react'

export interface MarkedTextProps {
  readonly text: string
  /** Every occurrence of each of these words is marked. */
  readonly search: string
}

/** A text in which the search words are marked, as the search compares them. */
export function MarkedText({ text, search }: MarkedTextProps) {
  const parts: ReactNode[] = []
  let done = 0
  for (const { start, end } of findWords(text, foldWords(search))) {
    parts.push(text.slice(done, start), <mark key={start}>{text.slice(start, end)}</mark>)
    done = end
  }
  return [...parts, text.slice(done)]
}
