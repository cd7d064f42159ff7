import { createContext, use, useId, type ReactNode } from 'react'
import { Button, type ButtonProps } from './button/button.tsx'
import { classNames } from './class-names.ts'

export interface EntryListProps {
  readonly label: string
  /** `Entry` elements. The list draws the lines between them. */
  readonly children: ReactNode
}

/** A card of entries with the same columns: name and detail on the left, status and actions on the right. */
export function EntryList({ label, children }: EntryListProps) {
  return (
    <ul
      aria-label={label}
      className="@container divide-y divide-line rounded-card border border-line bg-surface px-4 sm:px-5"
    >
      {children}
    </ul>
  )
}

export interface EntryProps {
  readonly icon?: ReactNode
  readonly name: ReactNode
  /** A `StateBadge`, at the end of the first line. */
  readonly status?: ReactNode
  /** The second line: an address, a model, a description. */
  readonly detail: ReactNode
  /** `EntryButton` elements. */
  readonly actions: ReactNode
  /** Puts the actions below the text where the list is narrow. For more than two buttons. */
  readonly stacks?: boolean
  /** Messages and forms below the columns. */
  readonly children?: ReactNode
}

/** The id of the element with the name of an entry. */
const NameIdContext = createContext<string | undefined>(undefined)

/** A button of an entry, which screen readers read with the entry's name. Names stand out between muted buttons. */
export function EntryButton(props: Omit<ButtonProps, 'size' | 'aria-describedby'>) {
  return <Button look="muted" {...props} size="small" aria-describedby={use(NameIdContext)} />
}

/** One entry of an `EntryList`. */
export function Entry({ icon, name, status, detail, actions, stacks = false, children }: EntryProps) {
  const id = useId()
  const hasStatus = status !== undefined
  return (
    <li className="py-3">
      <div className="flex items-start gap-3.5">
        {icon !== undefined && (
          <span className="mt-0.5 flex size-9 shrink-0 items-center justify-center rounded-control bg-sunken text-muted">
            {icon}
          </span>
        )}
        <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4">
          <h3 id={id} className="min-w-0 text-sm font-medium wrap-anywhere">
            {name}
          </h3>
          {hasStatus && <div className="justify-self-end">{status}</div>}
          <div
            className={classNames(
              'min-w-0 text-sm text-muted',
              stacks && 'col-span-2 @xl:col-span-1',
              stacks && !hasStatus && '@xl:row-start-2',
            )}
          >
            {detail}
          </div>
          <div
            className={classNames(
              'flex flex-wrap items-center @xl:gap-1',
              // The buttons have no border, so their texts are aligned with the text or the edge of the card.
              stacks
                ? 'col-span-2 -ml-3 @xl:col-span-1 @xl:-mr-3 @xl:ml-0 @xl:justify-self-end'
                : '-mr-3 justify-self-end',
              !hasStatus &&
                (stacks
                  ? '@xl:col-start-2 @xl:row-span-2 @xl:row-start-1'
                  : 'col-start-2 row-span-2 row-start-1'),
            )}
          >
            <NameIdContext value={id}>{actions}</NameIdContext>
          </div>
        </div>
      </div>
      {children}
    </li>
  )
}

interface StateBadgeProps {
  readonly tone: 'success' | 'danger'
  /** A hollow dot, which distinguishes 'disconnected' from 'failed'. */
  readonly hollow?: boolean
  readonly children: string
}

/** A status: a word with a dot in its colour. */
export function StateBadge({ tone, hollow = false, children }: StateBadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center gap-1.5 rounded-full border border-line px-2 py-0.5 text-xs font-medium',
        tone === 'success' ? 'text-success' : 'text-danger',
      )}
    >
      <span
        aria-hidden
        className={classNames('size-1.5 rounded-full border border-current', !hollow && 'bg-current')}
      />
      {children}
    </span>
  )
}
