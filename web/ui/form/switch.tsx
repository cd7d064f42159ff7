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
          'inline-flex h-6 w-10 items-center rounded-full p-1 transition-colors',
          checked ? 'justify-end bg-accent' : 'justify-start bg-muted',
        )}
      >
        <span className="size-4 rounded-full bg-surface" />
      </span>
    </button>
  )
}
