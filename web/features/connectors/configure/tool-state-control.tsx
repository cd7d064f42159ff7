import type { Permission } from '@yonder/contract/connector'
import type { KeyboardEvent } from 'react'
import { classNames } from '../../../ui/class-names.ts'

const labels: Readonly<Record<Permission, string>> = { ask: 'Asks', allow: 'Allowed', block: 'Blocked' }
const states = Object.keys(labels) as readonly Permission[]
const looks: Readonly<Record<Permission, string>> = {
  ask: 'bg-pressed text-ink',
  allow: 'bg-accent-soft text-ink',
  block: 'bg-danger-soft text-danger',
}

export interface ToolStateControlProps {
  readonly name: string
  readonly state: Permission
  /** Whether every tool that is not blocked runs without approval, so that none can ask. */
  readonly allowsEveryTool: boolean
  readonly busy: boolean
  readonly onChange: (state: Permission) => void
}

/**
 * A button for each state of a tool. The Tab key stops once, at the current state. The arrow keys move the
 * focus without choosing, so that moving from 'Asks' to 'Blocked' does not allow the tool for a moment.
 */
export function ToolStateControl({ name, state, allowsEveryTool, busy, onChange }: ToolStateControlProps) {
  const isDisabled = (each: Permission) => allowsEveryTool && each === 'ask'

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons inside receive the keys
    <fieldset
      aria-label={`Approval of ${name}`}
      onKeyDown={moveFocus}
      className="flex w-fit shrink-0 rounded-control border border-line-strong p-0.5"
    >
      {states.map((each) => (
        <button
          key={each}
          type="button"
          tabIndex={each === state ? 0 : -1}
          aria-pressed={each === state}
          aria-disabled={busy || undefined}
          disabled={isDisabled(each)}
          onClick={() => !busy && each !== state && onChange(each)}
          className={classNames(
            'touch-target h-6 rounded-inner px-2 text-xs font-medium transition-colors disabled:opacity-50 pointer-coarse:h-9 pointer-coarse:px-3',
            each === state ? looks[each] : 'text-muted hover:bg-hover hover:text-ink',
          )}
        >
          {labels[each]}
        </button>
      ))}
    </fieldset>
  )
}

function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const enabled = [...event.currentTarget.querySelectorAll<HTMLElement>('button:not(:disabled)')]
  enabled[enabled.findIndex((button) => button === document.activeElement) + step]?.focus()
}
