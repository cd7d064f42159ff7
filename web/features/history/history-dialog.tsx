import { X } from 'lucide-react'
import { useState } from 'react'
import { useChatSearch, type ChatSearch } from '../../data/chats.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { moveByArrowKeys } from '../../ui/focus.ts'
import { SearchInput } from '../../ui/form/text-input.tsx'
import { HistoryResults } from './history-results.tsx'

/** Finds a chat: shows the recent chats at once, and searches all chats by their words. */
export function HistoryDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [search, setSearch] = useState('')
  const result = useChatSearch(search)
  return (
    <Dialog title="Search chats" hideTitle place="top" onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys move through the box and the rows as one column */}
      <div onKeyDown={(event) => moveByArrowKeys(event, 'input, li a')} className="flex flex-col">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            setSearch(text.trim())
          }}
          className="flex items-center gap-3 border-b border-line py-1.5 pr-2 pl-4"
        >
          <SearchInput
            look="bare"
            aria-label="Search chats"
            placeholder="Search chats, then press Enter"
            enterKeyHint="search"
            maxLength={500}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              // Emptying the box shows the recent chats at once, without Enter.
              if (event.target.value === '') setSearch('')
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
              // By default the browser would only empty the box on the first press.
              event.preventDefault()
              onClose()
            }}
          />
          <IconButton label="Close" onClick={onClose}>
            <X size={18} aria-hidden />
          </IconButton>
        </form>
        {/* The same height in every state, so that nothing jumps while a search runs. */}
        <div className="h-[min(28rem,60dvh)] overflow-y-auto overscroll-contain">
          <HistoryResults result={result} search={search} onOpen={onClose} />
        </div>
        <output className="sr-only">{describeCount(result)}</output>
      </div>
    </Dialog>
  )
}

/** Returns how many chats are listed, for screen readers. An error has an alert of its own. */
function describeCount({ chats, isLoading, error, hasMore }: ChatSearch): string {
  if (isLoading || error !== undefined) return ''
  if (chats.length === 0) return 'No chats'
  return `${chats.length}${hasMore ? ' or more' : ''} ${chats.length === 1 ? 'chat' : 'chats'}`
}
