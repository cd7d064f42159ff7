import { classNames } from '../class-names.ts'

export interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** A setting that is on or off and takes effect at once. */
export function Switch({ label, checked, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-label={label}
      aria-checked={checked}
      onClick={() => onChange(!checked)}
      className="touch-target inline-flex items-center justify-center rounded-full"
    >
      <span
        className={classNames(
          'inline-flex h-6 w-10 items-center rounded-full border p-1 transition-colors',
          checked ? 'justify-end border-accent bg-accent' : 'justify-start border-muted bg-transparent',
        )}
      >
        <span className={classNames('size-3.5 rounded-full', checked ? 'bg-surface' : 'bg-muted')} />
      </span>
    </button>
  )
}
