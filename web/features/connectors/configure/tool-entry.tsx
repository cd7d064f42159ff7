import type { ConnectorTool } from '@yonder/contract/connector'
import { useState, type ReactNode } from 'react'
import { InertText } from '../../../ui/inert-text.tsx'

/** A longer description is cut to this length until the user expands it. */
const maxCollapsedChars = 280

export interface ToolEntryProps {
  readonly tool: ConnectorTool
  readonly action?: ReactNode
}

/** One tool of a connector, as its server describes it (§2.73). */
export function ToolEntry({ tool, action }: ToolEntryProps) {
  const { name, title, description, consent, problem } = tool
  return (
    <li className="flex items-start gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
          <bdi className="font-mono text-xs leading-5 font-medium wrap-anywhere">
            <InertText>{name}</InertText>
          </bdi>
          {title !== null && title !== name && (
            <bdi className="text-xs text-muted wrap-anywhere">
              <InertText>{title}</InertText>
            </bdi>
          )}
        </p>
        <Description text={description} />
        {consent === 'ask_changed' && (
          <p className="mt-1 text-xs font-medium text-warning">Changed since you allowed it</p>
        )}
        {problem !== null && (
          <p className="mt-1 text-xs text-warning wrap-anywhere">
            <InertText>{problem}</InertText>
          </p>
        )}
      </div>
      {action}
    </li>
  )
}

function Description({ text }: { readonly text: string }) {
  const [isExpanded, setExpanded] = useState(text.length <= maxCollapsedChars)
  if (text === '') return null
  return (
    <p className="text-xs text-muted wrap-anywhere">
      <span className="whitespace-pre-line">
        <InertText>{isExpanded ? text : `${text.slice(0, maxCollapsedChars).trimEnd()}…`}</InertText>
      </span>
      {!isExpanded && (
        <button
          type="button"
          onClick={() => setExpanded(true)}
          className="ml-1.5 font-medium text-accent underline-offset-2 hover:underline"
        >
          Show more
        </button>
      )}
    </p>
  )
}
