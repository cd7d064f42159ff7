import { useEffect, useEffectEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { preloadMarkdown } from '../../../ui/markdown/markdown.tsx'

/** What a link to a chat has as its state when the chat shall be printed. */
export const printState = { print: true } as const

/** Prints the chat once, when the user has come to it for that. */
export function usePrintOnArrival(print: () => void): void {
  const { pathname, search, hash, state } = useLocation() as ReturnType<typeof useLocation> & {
    state: unknown
  }
  const navigate = useNavigate()
  const isAsked = (state as Partial<typeof printState> | null)?.print === true
  const begin = useEffectEvent(async () => {
    // A reload must not print again.
    void navigate({ pathname, search, hash }, { replace: true, state: null })
    await preloadMarkdown()
    print()
  })
  useEffect(() => {
    if (isAsked) void begin()
  }, [isAsked])
}
