import type { ConnectorTool } from '@yonder/contract/connector'
import type { ReactNode } from 'react'
import { useModelTool } from '../../../data/connectors.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { FoldedText } from '../../../ui/folded-text.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import { ModelToolView } from '../../../ui/model-tool-view.tsx'
import { ToolName } from '../../../ui/tool-name.tsx'

export interface ToolEntryProps {
  readonly connectorName: string
  readonly tool: ConnectorTool
  readonly isBlocked: boolean
  readonly action?: ReactNode
}

/** One tool of a connector, as its server describes it. */
export function ToolEntry({ connectorName, tool, isBlocked, action }: ToolEntryProps) {
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
