import { X } from 'lucide-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { ToolName } from '../../../ui/tool-name.tsx'

export interface ToolChipsProps {
  readonly names: readonly string[]
  /** Removes a name; without it the chips have no remove buttons. */
  readonly onRemove?: (name: string) => void
  /** Called when no chip is left after a removal, to move the focus. */
  readonly onEmptied?: () => void
}

/** Tool names as chips. */
export function ToolChips({ names, onRemove, onEmptied }: ToolChipsProps) {
  const buttons = useRef(new Map<string, HTMLButtonElement>())

  const remove = (name: string, at: number) => {
    flushSync(() => onRemove?.(name))
    // The focused button was removed with its chip, so the focus moves to the next chip, else to the previous one.
    const neighbour = names[at + 1] ?? names[at - 1]
    if (neighbour === undefined) onEmptied?.()
    else buttons.current.get(neighbour)?.focus()
  }

  if (names.length === 0) return null
  return (
    <ul aria-label="Allowed tools" className="flex flex-wrap gap-1.5">
      {names.map((name, at) => (
        <li
          key={name}
          className="flex max-w-full min-w-0 items-center gap-0.5 rounded-control bg-hover pl-2.5 text-xs"
        >
          <bdi className="py-1.5 pr-2 font-mono wrap-anywhere">
            <ToolName>{name}</ToolName>
          </bdi>
          {onRemove !== undefined && (
            <button
              ref={(button) => {
                if (button === null) buttons.current.delete(name)
                else buttons.current.set(name, button)
              }}
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
