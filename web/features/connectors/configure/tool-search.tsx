import type { ConnectorTool } from '@yonder/contract/connector'
import { Plus, Search } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { cutDescription, findTools } from './find-tools.ts'

export interface ToolSearchProps {
  readonly tools: readonly ConnectorTool[]
  readonly allowed: readonly string[]
  readonly onAdd: (name: string) => void
}

/** Finds tools by name or description, to allow them (§2.70). */
export function ToolSearch({ tools, allowed, onAdd }: ToolSearchProps) {
  const [search, setSearch] = useState('')
  const column = useRef<HTMLDivElement>(null)
  const isSearching = search.trim() !== ''
  const found = isSearching ? findTools(tools, allowed, search) : []

  const add = (name: string) => {
    onAdd(name)
    // The result that had the focus is no result any more.
    column.current?.querySelector('input')?.focus()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys bubble from the box and the results
    <div ref={column} onKeyDown={(event) => moveInColumn(column.current, event)}>
      <div className="relative">
        <Search size={15} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
        <TextInput
          type="search"
          aria-label="Search tools to add"
          placeholder="Search tools to add..."
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="pl-9 [&::-webkit-search-cancel-button]:hidden"
        />
      </div>
      {found.length > 0 && (
        <ul aria-label="Tools found" className="mt-1.5 flex flex-col">
          {found.map((tool) => (
            <li key={tool.name}>
              <button
                type="button"
                onClick={() => add(tool.name)}
                className="touch-target flex w-full items-start gap-2.5 rounded-control px-3 py-1.5 text-left transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]"
              >
                <Plus size={14} aria-hidden className="mt-1 shrink-0 text-muted" />
                <span className="min-w-0">
                  <span className="sr-only">Allow </span>
                  <bdi className="block truncate font-mono text-xs leading-5">{tool.name}</bdi>
                  <span className="block text-xs text-muted wrap-anywhere">
                    {cutDescription(tool.description)}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <output className="block text-xs text-muted wrap-anywhere not-empty:px-3 not-empty:py-2">
        {isSearching && found.length === 0 && `No tools found matching "${search.trim()}"`}
      </output>
    </div>
  )
}

/** The box and the results are one column for the arrow keys. */
function moveInColumn(column: HTMLElement | null, event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (column === null || step === 0 || event.nativeEvent.isComposing) return
  const stops = [...column.querySelectorAll<HTMLElement>('input, li > button')]
  const next = stops[stops.findIndex((stop) => stop === document.activeElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
