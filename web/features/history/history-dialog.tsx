import { Search, X } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { HistoryResults } from './history-results.tsx'
import { useChatSearch } from './use-chat-search.ts'

/** Finds a chat again: recent ones at once, others by the words in them (§2.41-§2.46). */
export function HistoryDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [search, setSearch] = useState('')
  const result = useChatSearch(search)
  const panel = useRef<HTMLDivElement>(null)
  return (
    <Dialog title="Search chats" hideTitle place="top" onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys bubble from the box and the rows */}
      <div ref={panel} onKeyDown={(event) => moveAmongRows(panel.current, event)} className="flex flex-col">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            setSearch(text.trim())
          }}
          className="flex items-center gap-3 border-b border-line py-1.5 pr-2 pl-4"
        >
          <Search size={18} aria-hidden className="shrink-0 text-muted" />
          <input
            type="search"
            aria-label="Search chats"
            placeholder="Search chats, then press Enter"
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={500}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              // An emptied box means the recent chats; there is nothing to press Enter for.
              if (event.target.value === '') setSearch('')
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
              // Left to the browser, the first press would only empty the box.
              event.preventDefault()
              onClose()
            }}
            className="h-11 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
          />
          <IconButton label="Close" onClick={onClose}>
            <X size={18} aria-hidden />
          </IconButton>
        </form>
        {/* One height for every state, so that nothing jumps while a search runs. */}
        <div className="h-[min(28rem,60dvh)] overflow-y-auto overscroll-contain">
          <HistoryResults result={result} search={search} onOpen={onClose} />
        </div>
        <output className="sr-only">{announce(result.chats.length, result.isLoading, result.hasMore)}</output>
      </div>
    </Dialog>
  )
}

function announce(count: number, isLoading: boolean, hasMore: boolean): string {
  if (isLoading || count === 0) return ''
  return `${count}${hasMore ? ' or more' : ''} ${count === 1 ? 'chat' : 'chats'}`
}

/** The box and the rows are one column for the arrow keys. */
function moveAmongRows(panel: HTMLElement | null, event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (panel === null || step === 0 || event.nativeEvent.isComposing) return
  const column = [...panel.querySelectorAll<HTMLElement>('input, li > a')]
  const at = column.findIndex((element) => element === document.activeElement)
  const next = column[at + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
