import { ChevronDown, ChevronUp, Search, X } from 'lucide-react'
import type { Ref } from 'react'
import { useStore } from '../../../lib/store.ts'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { IntoHeader } from '../../../ui/header-slot.tsx'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import type { ChatFinder, FindState } from './chat-finder.ts'

export interface FindBarProps {
  readonly finder: ChatFinder
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly onStep: (direction: 1 | -1) => void
  readonly onClose: () => void
  readonly ref: Ref<HTMLInputElement>
}

/** The search within a chat. It stands in the header, where it covers no text; on a phone over the whole header. */
export function FindBar({ finder, query, onQuery, onStep, onClose, ref }: FindBarProps) {
  const state = useStore(finder.state)
  const next = () => onStep(1)
  const previous = () => onStep(-1)
  useShortcut('f3', next, 'browser')
  useShortcut('shift+f3', previous, 'browser')
  useShortcut('mod+g', next, 'browser')
  useShortcut('mod+shift+g', previous, 'browser')
  useShortcut('escape', onClose)
  return (
    <IntoHeader>
      <search
        aria-label="Find in this chat"
        className="absolute inset-x-2 top-0 z-10 flex h-header items-center md:inset-x-auto md:left-1/2 md:w-[min(26rem,44%)] md:-translate-x-1/2"
      >
        <div className="flex w-full items-center gap-0.5 rounded-control border border-line-strong bg-surface p-px focus-within:border-accent md:p-0.5">
          <Search size={16} aria-hidden className="mx-2 shrink-0 text-muted" />
          <input
            ref={ref}
            type="text"
            aria-label="Find in this chat"
            value={query}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            onChange={(event) => onQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
              else if (event.key === 'Escape') onClose()
              else return
              event.preventDefault()
            }}
            className="h-8 min-w-0 flex-1 bg-transparent text-sm outline-none pointer-coarse:h-10 pointer-coarse:text-base"
          />
          <output className="flex shrink-0 items-center gap-1.5 pr-1 text-xs text-muted tabular-nums">
            {query.trim() !== '' && describe(state)}
            {!state.isComplete && <Spinner />}
          </output>
          <IconButton label="Previous match" size="small" shortcut="shift+enter" onClick={previous}>
            <ChevronUp size={16} aria-hidden />
          </IconButton>
          <IconButton label="Next match" size="small" shortcut="enter" onClick={next}>
            <ChevronDown size={16} aria-hidden />
          </IconButton>
          <IconButton label="Close" size="small" shortcut="escape" onClick={onClose}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      </search>
    </IntoHeader>
  )
}

function describe({ count, isComplete, position = 0 }: FindState): string {
  const number = count.toLocaleString('en')
  if (!isComplete) return `${number} so far`
  return count === 0 ? 'Not in this chat' : `${position.toLocaleString('en')} of ${number}`
}
