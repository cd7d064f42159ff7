import type { ReactNode } from 'react'

export interface SettingsRowProps {
  readonly name: string
  /** What the setting means. */
  readonly meaning?: ReactNode
  /** The value or the control. */
  readonly children: ReactNode
}

/** A line of a settings page: what it is on the left, its value or control on the right. */
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
