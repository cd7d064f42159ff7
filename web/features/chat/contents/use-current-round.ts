import { use, useSyncExternalStore } from 'react'
import { DrawnRoundsContext } from '../message/message-context.ts'
import type { DrawnRounds } from '../message/message-context.ts'
import { distanceToEnd, endZonePx } from '../list/use-follow-end.ts'

/** The current round is the last one that begins above this fraction of the window's height. */
const readingLine = 0.35

type Rounds = readonly { readonly id: string }[]

/** Returns the index of the round that is being read, and updates it while the page scrolls (§14.12). */
export function useCurrentRound(rounds: Rounds): number {
  const rendered = use(DrawnRoundsContext)
  return useSyncExternalStore(watchWindow, () => findCurrentRound(rounds, rendered))
}

function watchWindow(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  window.addEventListener('resize', listener)
  return () => {
    window.removeEventListener('scroll', listener)
    window.removeEventListener('resize', listener)
  }
}

/** Only rendered rounds have a position in the window. */
function findCurrentRound(rounds: Rounds, rendered: DrawnRounds | undefined): number {
  // At the end of the page the last round may be too short to reach the line.
  if (distanceToEnd() <= endZonePx) return rounds.length - 1
  const tops = (rendered?.list() ?? [])
    .map(([id, element]) => ({ id, top: element.getBoundingClientRect().top }))
    .sort((a, b) => a.top - b.top)
  const line = window.innerHeight * readingLine
  const passed = tops.findLast(({ top }) => top <= line)
  const known = passed ?? tops[0]
  const index = rounds.findIndex(({ id }) => id === known?.id)
  return Math.max(0, passed === undefined ? index - 1 : index)
}
