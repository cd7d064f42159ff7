import { useId, type ReactNode } from 'react'

export interface SettingsGroupProps {
  readonly title: string
  /** Settings rows, separated by lines. */
  readonly children: ReactNode
}

/** A titled card of settings rows. */
export function SettingsGroup({ title, children }: SettingsGroupProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 text-sm font-medium text-muted">
        {title}
      </h3>
      <div className="divide-y divide-line rounded-card border border-line bg-surface px-4 sm:px-5">
        {children}
      </div>
    </section>
  )
}

export interface SettingsRowProps {
  readonly name: string
  /** What the setting means. */
  readonly meaning?: ReactNode
  /** The value or the control. */
  readonly children: ReactNode
}

/** A setting: name and meaning on the left, value or control on the right. */
export function SettingsRow({ name, meaning, children }: SettingsRowProps) {
  return (
    <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-40">
        <p className="text-sm font-medium">{name}</p>
        {meaning !== undefined && <p className="text-sm text-muted">{meaning}</p>}
      </div>
      <div className="max-w-full min-w-0 text-sm">{children}</div>
    </div>
  )
}
