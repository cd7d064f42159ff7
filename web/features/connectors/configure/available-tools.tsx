import type { Connector, ConnectorTool } from '@yonder/contract/connector'
import { Check } from 'lucide-react'
import { Button } from '../../../ui/button/button.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import { ToolEntry } from './tool-entry.tsx'

export interface AvailableToolsProps {
  readonly connector: Connector
  readonly busy: boolean
  /** The allowed names in manage mode, in which tools can also be allowed and removed here. */
  readonly allowed: readonly string[] | undefined
  readonly onAllow: (names: readonly string[]) => void
  /** Allows a tool that has changed since it was allowed (§18.5). */
  readonly onAllowAgain: ((tool: ConnectorTool) => void) | undefined
}

/** Every tool that a connector offers (§2.73). */
export function AvailableTools({ connector, busy, allowed, onAllow, onAllowAgain }: AvailableToolsProps) {
  const { tools, status, notice } = connector
  const toggle = (name: string, names: readonly string[]) =>
    onAllow(names.includes(name) ? names.filter((other) => other !== name) : [...names, name])

  const actionFor = (tool: ConnectorTool) => {
    if (allowed !== undefined)
      return (
        <AllowToggle
          name={tool.name}
          pressed={allowed.includes(tool.name)}
          onPress={() => toggle(tool.name, allowed)}
        />
      )
    if (onAllowAgain === undefined || tool.consent !== 'ask_changed') return undefined
    return (
      <Button
        size="small"
        busy={busy}
        aria-label={`Allow again ${tool.name}`}
        onClick={() => onAllowAgain(tool)}
      >
        Allow again
      </Button>
    )
  }

  return (
    <section>
      <h3 className="text-sm font-medium">Available Tools ({tools.length})</h3>
      {notice !== null && (
        <p className="mt-1 text-xs text-muted wrap-anywhere">
          <InertText>{notice}</InertText>
        </p>
      )}
      {tools.length === 0 ? (
        <p className="mt-2 text-sm text-muted">
          {status === 'connected' ? 'This connector offers no tools.' : 'Connect it to see its tools.'}
        </p>
      ) : (
        <ul className="mt-1 divide-y divide-line">
          {tools.map((tool) => (
            <ToolEntry key={tool.name} connectorName={connector.name} tool={tool} action={actionFor(tool)} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Allows or removes a tool. The button stays in place, so that the user can continue down the list. */
function AllowToggle({
  name,
  pressed,
  onPress,
}: {
  readonly name: string
  readonly pressed: boolean
  readonly onPress: () => void
}) {
  return (
    <span className="grid min-w-24">
      <Button
        size="small"
        look={pressed ? 'plain' : 'quiet'}
        aria-pressed={pressed}
        aria-label={`Allow ${name}`}
        onClick={onPress}
      >
        {pressed && <Check size={14} aria-hidden />}
        {pressed ? 'Allowed' : 'Allow'}
      </Button>
    </span>
  )
}
