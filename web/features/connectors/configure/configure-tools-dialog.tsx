import type { Connector, ConnectorTool } from '@yonder/contract/connector'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useAllowTools } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useInitialFocus } from '../../../ui/form/initial-focus.ts'
import { addedNames, addToolName, allowDraftOf, applyDraft, isAllowDraftChanged } from './allow-draft.ts'
import type { AllowDraft } from './allow-draft.ts'
import { AllowSummary, ManageTools } from './allowed-tools.tsx'
import { AvailableTools } from './available-tools.tsx'
import { CallLog } from './call-log.tsx'

export interface ConfigureToolsDialogProps {
  readonly connector: Connector
  readonly onClose: () => void
}

/** Shows which tools of a connector run without approval, all its tools, and the log of their calls (§2.68, §2.71). */
export function ConfigureToolsDialog({ connector, onClose }: ConfigureToolsDialogProps) {
  const { allow_tools, tools } = connector
  const allowTools = useAllowTools()
  const initialFocus = useInitialFocus()
  const busy = allowTools.pending
  /** Set in manage mode only. */
  const [draft, setDraft] = useState<AllowDraft | null>(null)

  const switchTo = (next: AllowDraft | null) => {
    // The focused button disappears when the mode changes.
    flushSync(() => setDraft(next))
    initialFocus.focus()
  }

  const save = async (changed: AllowDraft) => {
    const added = addedNames(changed)
    const result = await allowTools.run({
      connector,
      change: (stored) => applyDraft(changed, stored),
      seen: tools.filter(({ name }) => added.includes(name)),
    })
    if (result.done) switchTo(null)
  }

  const allowAgain = (tool: ConnectorTool) =>
    allowTools.run({
      connector,
      change: (stored) => stored && addToolName(stored, tool.name),
      seen: [tool],
    })

  return (
    <FormDialog
      hasChanges={draft !== null && !busy && isAllowDraftChanged(draft)}
      title={`Configure Tools - ${connector.name}`}
      initialFocus={initialFocus}
      onClose={onClose}
      footer={
        draft === null ? undefined : (
          <>
            <Button onClick={() => switchTo(null)}>Cancel</Button>
            <Button look="primary" busy={busy} onClick={() => void save(draft)}>
              Save Changes
            </Button>
          </>
        )
      }
    >
      {/* Inert while saving, since a change made meanwhile would be lost. */}
      <div inert={busy && draft !== null} className="flex flex-col gap-6 pt-1">
        {draft === null ? (
          <AllowSummary connector={connector} onManage={() => switchTo(allowDraftOf(allow_tools))} />
        ) : (
          <ManageTools
            tools={tools}
            draft={draft}
            onChange={setDraft}
            onEmptied={() => initialFocus.focus()}
          />
        )}
        <AvailableTools
          connector={connector}
          busy={busy}
          allowed={draft === null || draft.everyTool ? undefined : draft.names}
          onAllow={(names) => draft !== null && setDraft({ ...draft, names })}
          onAllowAgain={draft !== null ? undefined : (tool) => void allowAgain(tool)}
        />
        <CallLog connector={connector} />
      </div>
    </FormDialog>
  )
}
