import { X } from 'lucide-react'
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
  const remove = (name: string, button: HTMLElement) => {
    const chip = button.closest('li')
    // The focused button is removed with its chip, so the focus moves to the next chip, else to the previous one.
    const neighbour = chip?.nextElementSibling ?? chip?.previousElementSibling
    flushSync(() => onRemove?.(name))
    if (neighbour) neighbour.querySelector('button')?.focus()
    else onEmptied?.()
  }

  if (names.length === 0) return null
  return (
    <ul aria-label="Allowed tools" className="flex flex-wrap gap-1.5">
      {names.map((name) => (
        <li
          key={name}
          className="flex max-w-full min-w-0 items-center gap-0.5 rounded-control bg-hover pl-2.5 text-xs"
        >
          <bdi className="py-1.5 pr-2 font-mono wrap-anywhere">
            <ToolName>{name}</ToolName>
          </bdi>
          {onRemove !== undefined && (
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={({ currentTarget }) => remove(name, currentTarget)}
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
