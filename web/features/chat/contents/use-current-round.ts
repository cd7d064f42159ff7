import { useSyncExternalStore } from 'react'
import { findCurrentRound } from './find-current-round.ts'

/** The place of the round that is being read, kept right while the page scrolls. */
export function useCurrentRound(rounds: readonly { readonly id: string }[]): number {
  return useSyncExternalStore(watchWindow, () => findCurrentRound(rounds))
}

function watchWindow(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  window.addEventListener('resize', listener)
  return () => {
    window.removeEventListener('scroll', listener)
    window.removeEventListener('resize', listener)
  }
}
