import { MessagesSquare, SearchX } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import type { ChatSearch } from '../../data/chats.ts'
import { Button } from '../../ui/button/button.tsx'
import { focusLastEntry, useFocusAfterRemoval } from '../../ui/focus.ts'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../ui/states/states.tsx'
import { HistoryRow } from './history-row.tsx'

export interface HistoryResultsProps {
  readonly result: ChatSearch
  readonly search: string
  readonly onOpen: () => void
}

/** The results of the search, in each of its states. */
export function HistoryResults({ result, search, onOpen }: HistoryResultsProps) {
  const { chats, error, isLoading } = result
  if (isLoading) return <LoadingState>Loading chats...</LoadingState>
  if (error !== undefined)
    return (
      <ErrorState title="Error loading chats" onRetry={result.retry}>
        Your chats could not be loaded. Yonder tries again every five seconds.
      </ErrorState>
    )
  if (chats.length === 0)
    return search === '' ? (
      <EmptyState icon={<MessagesSquare size={22} aria-hidden />} title="No chats yet">
        Your chats with bots are listed here.
      </EmptyState>
    ) : (
      <EmptyState icon={<SearchX size={22} aria-hidden />} title="No chats found">
        Every word must occur in the chat. Try fewer or shorter words.
      </EmptyState>
    )
  return (
    <>
      <ul aria-label={search === '' ? 'Recent chats' : 'Chats found'} className="p-2">
        {chats.map((chat) => (
          <HistoryRow key={chat.id} chat={chat} search={search} onOpen={onOpen} />
        ))}
      </ul>
      {/* The key changes with every page, so that a button that stays in view loads the next page too. */}
      {result.hasMore && <MoreButton key={chats.length} result={result} />}
    </>
  )
}

/**
 * A button that loads the next page when pressed, or when it is scrolled into view. If it has the focus, the focus then
 * moves to the row before the new ones.
 */
function MoreButton({ result }: Pick<HistoryResultsProps, 'result'>) {
  const box = useFocusAfterRemoval<HTMLDivElement>(focusLastEntry)
  const load = useEffectEvent(result.loadMore)
  useEffect(() => {
    if (box.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) load()
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box])
  return (
    <div ref={box} className="flex justify-center px-2 pb-3">
      <Button look="plain" size="small" busy={result.isLoadingMore} onClick={result.loadMore}>
        Show more
      </Button>
    </div>
  )
}
