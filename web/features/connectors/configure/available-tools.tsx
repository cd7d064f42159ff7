import type { Connector, ConnectorTool, Permission } from '@yonder/contract/connector'
import { formatToolCount, maxOfferedTools } from '@yonder/contract/describe-left-out'
import type { ReactNode } from 'react'
import { useConnectors, useModelTool } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { FoldedText, InertText, ToolName } from '../../../ui/inert-text.tsx'
import { ModelToolView } from '../../../ui/model-tool-view.tsx'
import { permissionOf, type ToolsDraft } from './allow-draft.ts'
import { ToolStateControl } from './tool-state-control.tsx'

export interface AvailableToolsProps {
  readonly connector: Connector
  readonly busy: boolean
  /** The stored states of the tools, or the unsaved ones in manage mode. */
  readonly draft: ToolsDraft
  readonly onChange: (tool: ConnectorTool, state: Permission) => void
  /** Unblocks a tool that the connector does not offer now. */
  readonly onUnblock: (name: string) => void
  /** Allows a tool that has changed since it was allowed. Undefined in manage mode. */
  readonly onAllowAgain: ((tool: ConnectorTool) => void) | undefined
}

/**
 * Every tool that a connector offers, with its state, and the blocked tools that it does not offer.
 */
export function AvailableTools({
  connector,
  busy,
  draft,
  onChange,
  onUnblock,
  onAllowAgain,
}: AvailableToolsProps) {
  const { tools, status, notice } = connector
  const gone = draft.blocked.filter((name) => !tools.some((tool) => tool.name === name))

  return (
    <section>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="text-sm font-medium">Available Tools ({tools.length})</h3>
        {draft.blocked.length > 0 && (
          <span className="text-xs text-muted tabular-nums">{draft.blocked.length} blocked</span>
        )}
      </div>
      <ToolLimitNotice />
      {notice !== null && (
        <p className="mt-1 text-xs text-muted wrap-anywhere">
          <InertText>{notice}</InertText>
        </p>
      )}
      {tools.length === 0 && (
        <p className="mt-2 text-sm text-muted">
          {status === 'connected' ? 'This connector offers no tools.' : 'Connect it to see its tools.'}
        </p>
      )}
      <ul className="mt-1 divide-y divide-line empty:hidden">
        {tools.map((tool) => (
          <ToolEntry
            key={tool.name}
            connectorName={connector.name}
            tool={tool}
            isBlocked={draft.blocked.includes(tool.name)}
            action={
              <div className="flex flex-wrap items-center gap-2 sm:justify-end">
                {onAllowAgain !== undefined && tool.consent === 'ask_changed' && (
                  <Button
                    size="small"
                    busy={busy}
                    aria-label={`Allow again ${tool.name}`}
                    onClick={() => onAllowAgain(tool)}
                  >
                    Allow again
                  </Button>
                )}
                <ToolStateControl
                  name={tool.name}
                  state={permissionOf(tool.name, draft)}
                  allowsEveryTool={draft.allow.allowsEveryTool}
                  busy={busy}
                  onChange={(state) => onChange(tool, state)}
                />
              </div>
            }
          />
        ))}
        {gone.map((name) => (
          <li key={name} className="flex items-center justify-between gap-3 py-2.5">
            <span className="min-w-0">
              <bdi className="block font-mono text-xs leading-5 font-medium wrap-anywhere">
                <ToolName>{name}</ToolName>
              </bdi>
              <span className="block text-xs text-muted">Blocked, but not offered by the connector now</span>
            </span>
            <Button size="small" busy={busy} aria-label={`Unblock ${name}`} onClick={() => onUnblock(name)}>
              Unblock
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Shown when the connectors have more unblocked tools than a model is offered; says how to make room. */
function ToolLimitNotice() {
  const { data: connectors = [] } = useConnectors()
  const total = connectors
    .filter(({ status }) => status !== 'disconnected')
    .reduce((sum, connector) => sum + countUnblocked(connector), 0)
  if (total <= maxOfferedTools) return null
  return (
    <p className="mt-1 text-xs text-muted">
      A model is offered at most {maxOfferedTools} of the {formatToolCount(total)} of your connectors. Block
      tools that you do not need, to make room for others.
    </p>
  )
}

function countUnblocked({ tools, block_tools = [] }: Connector): number {
  const blocked = new Set(block_tools)
  return tools.filter(({ name, problem }) => problem === null && !blocked.has(name)).length
}

interface ToolEntryProps {
  readonly connectorName: string
  readonly tool: ConnectorTool
  readonly isBlocked: boolean
  readonly action?: ReactNode
}

/** One tool of a connector, as its server describes it. */
function ToolEntry({ connectorName, tool, isBlocked, action }: ToolEntryProps) {
  const { name, title, description, consent, problem } = tool
  return (
    <li className="flex items-start gap-3 py-2.5 max-sm:flex-col max-sm:gap-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
          <bdi className="font-mono text-xs leading-5 font-medium wrap-anywhere">
            <ToolName>{name}</ToolName>
          </bdi>
          {title !== null && title !== name && (
            <bdi className="text-xs text-muted wrap-anywhere">
              <InertText>{title}</InertText>
            </bdi>
          )}
        </p>
        {description !== '' && (
          <p className="text-xs text-muted">
            <FoldedText>{description}</FoldedText>
          </p>
        )}
        {consent === 'ask_changed' && !isBlocked && (
          <p className="mt-1 text-xs font-medium text-warning">Changed since you allowed it</p>
        )}
        {problem !== null && (
          <p className="mt-1 text-xs text-warning wrap-anywhere">
            <InertText>{`This tool cannot be used: ${problem}.`}</InertText>
          </p>
        )}
        <Disclosure label="What the model reads" subject={name}>
          <ModelTool connectorName={connectorName} tool={tool} />
        </Disclosure>
      </div>
      {action}
    </li>
  )
}

function ModelTool({ connectorName, tool }: Pick<ToolEntryProps, 'connectorName' | 'tool'>) {
  return <ModelToolView read={useModelTool(connectorName, tool.name)} fingerprint={tool.fingerprint} />
}
