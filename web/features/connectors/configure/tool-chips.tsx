import { X } from 'lucide-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'

export interface ToolChipsProps {
  readonly names: readonly string[]
  /** Makes them removable. */
  readonly onRemove?: (name: string) => void
  /** Takes the focus when the last chip is gone. */
  readonly onEmptied?: () => void
}

/** Names of tools as chips (§2.70). */
export function ToolChips({ names, onRemove, onEmptied }: ToolChipsProps) {
  const list = useRef<HTMLUListElement>(null)

  const remove = (name: string, at: number) => {
    flushSync(() => onRemove?.(name))
    // The button that had the focus went with its chip: its neighbour takes over.
    const buttons = list.current?.querySelectorAll('button') ?? []
    const next = buttons[Math.min(at, buttons.length - 1)]
    if (next === undefined) onEmptied?.()
    else next.focus()
  }

  if (names.length === 0) return null
  return (
    <ul ref={list} aria-label="Allowed tools" className="flex flex-wrap gap-1.5">
      {names.map((name, at) => (
        <li
          key={name}
          className="flex max-w-full min-w-0 items-center gap-0.5 rounded-control bg-hover pl-2.5 text-xs"
        >
          <bdi className="truncate py-1.5 pr-2 font-mono" title={name}>
            {name}
          </bdi>
          {onRemove !== undefined && (
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => remove(name, at)}
              className="touch-target -ml-1.5 inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted transition-colors hover:bg-pressed hover:text-ink"
            >
              <X size={13} aria-hidden />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
