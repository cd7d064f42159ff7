import { useId, type ReactNode } from 'react'

export interface SettingsGroupProps {
  readonly title: string
  /** Settings rows, divided by lines. */
  readonly children: ReactNode
}

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
