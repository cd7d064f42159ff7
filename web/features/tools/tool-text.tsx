import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

export interface ToolTextProps {
  /** The accessible name. */
  readonly label: string
  /** `low` is for a text that is usually short. */
  readonly height?: 'full' | 'low'
  /** `InertText` elements. */
  readonly children: ReactNode
}

/** A text of a tool with its own line breaks. Long lines wrap, and a long text scrolls, with the keyboard too. */
export function ToolText({ label, height = 'full', children }: ToolTextProps) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={label}
      className={classNames(
        'overflow-auto rounded-control bg-sunken px-3 py-2.5 font-mono text-code wrap-anywhere whitespace-pre-wrap [tab-size:4] [unicode-bidi:plaintext]',
        height === 'low' ? 'max-h-30' : 'max-h-88',
      )}
    >
      {children}
    </pre>
  )
}
