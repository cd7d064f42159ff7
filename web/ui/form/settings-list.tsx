import { useId, type ReactNode } from 'react'
import { classNames } from '../class-names.ts'

export interface SettingsHeaderProps {
  /** The id of the element with the title, for the `aria-labelledby` of the section. */
  readonly id?: string
  readonly title: string
  readonly description?: string
  /** Controls for the whole section, a primary button last. */
  readonly children?: ReactNode
}

/** The title of a section of the settings. Its first line is at the same height with and without buttons. */
export function SettingsHeader({ id, title, description, children }: SettingsHeaderProps) {
  const isOneLine = description === undefined && children !== undefined
  return (
    <header
      className={classNames(
        'flex flex-wrap items-center justify-between gap-x-4 gap-y-3',
        isOneLine ? '-mt-1 mb-4' : 'mb-5',
      )}
    >
      <div>
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {description !== undefined && <p className="text-sm text-muted">{description}</p>}
      </div>
      {children !== undefined && (
        // On a phone the controls are below a description and fill the row.
        <div className={classNames('flex flex-wrap gap-2', !isOneLine && 'max-sm:w-full max-sm:*:flex-auto')}>
          {children}
        </div>
      )}
    </header>
  )
}

export interface SettingsGroupProps {
  readonly title: string
  /** `SettingsRow` elements, between which the group draws lines, or a table. */
  readonly children: ReactNode
}

/** A card with a title. */
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
