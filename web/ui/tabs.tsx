import { useId, type KeyboardEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface TabsProps<Name extends string> {
  readonly label: string
  /** The text of each tab, in their order. */
  readonly names: Readonly<Record<Name, string>>
  readonly selected: Name
  readonly onSelect: (name: Name) => void
  /** What the selected tab shows. */
  readonly children: ReactNode
}

/** A few views of one thing. The arrow keys move between the tabs; Enter, Space or a click selects one. */
export function Tabs<Name extends string>({ label, names, selected, onSelect, children }: TabsProps<Name>) {
  const id = useId()
  return (
    <>
      <div role="tablist" aria-label={label} className="flex gap-1 self-start rounded-control bg-sunken p-1">
        {(Object.entries(names) as [Name, string][]).map(([name, text]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === selected}
            aria-controls={name === selected ? `${id}-panel` : undefined}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
            onKeyDown={moveByKeys}
            className={classNames(
              'touch-target rounded-inner px-3 py-1 text-sm transition-colors',
              name === selected
                ? 'bg-surface font-medium text-ink ring-1 ring-line'
                : 'text-muted hover:text-ink',
            )}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className="contents">
        {children}
      </div>
    </>
  )
}

function moveByKeys(event: KeyboardEvent): void {
  const tabs = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])]
  const at = tabs.findIndex((tab) => tab === event.currentTarget)
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % tabs.length,
    ArrowLeft: (at + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }
  const target = targets[event.key]
  if (target === undefined) return
  event.preventDefault()
  tabs[target]?.focus()
}
