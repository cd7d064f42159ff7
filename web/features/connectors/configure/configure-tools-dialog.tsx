import type { Connector, ConnectorTool } from '@yonder/contract/connector'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button/button.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useInitialFocus } from '../../../ui/form/initial-focus.ts'
import { addedNames, addToolName, allowDraftOf, applyDraft } from './allow-draft.ts'
import type { AllowDraft } from './allow-draft.ts'
import { AllowSummary } from './allow-summary.tsx'
import { AvailableTools } from './available-tools.tsx'
import { CallRecord } from './call-record.tsx'
import { ManageTools } from './manage-tools.tsx'
import { useAllowTools } from './use-allow-tools.ts'
import type { AllowChange } from './use-allow-tools.ts'

export interface ConfigureToolsDialogProps {
  readonly connector: Connector
  readonly onClose: () => void
}

/** Which tools of a connector run without asking, what tools it has, and what they were called for (§2.68-§2.73). */
export function ConfigureToolsDialog({ connector, onClose }: ConfigureToolsDialogProps) {
  const { allow_tools, tools } = connector
  const allowTools = useAllowTools()
  const initialFocus = useInitialFocus()
  const [busy, setBusy] = useState(false)
  /** There is one in manage mode only. */
  const [draft, setDraft] = useState<AllowDraft | null>(null)

  const turnTo = (next: AllowDraft | null) => {
    // The button that had the focus goes with its mode.
    flushSync(() => setDraft(next))
    initialFocus.focus()
  }

  const save = async (change: AllowChange) => {
    setBusy(true)
    const isStored = await allowTools(connector, change)
    setBusy(false)
    return isStored
  }

  const saveDraft = async (changed: AllowDraft) => {
    const added = addedNames(changed)
    const isStored = await save({
      change: (now) => applyDraft(changed, now),
      seen: tools.filter(({ name }) => added.includes(name)),
    })
    if (isStored) turnTo(null)
  }

  const allowAgain = async (tool: ConnectorTool) =>
    save({ change: (now) => now && addToolName(now, tool.name), seen: [tool] })

  return (
    <Dialog
      title={`Configure Tools - ${connector.name}`}
      initialFocus={initialFocus}
      onClose={onClose}
      footer={
        draft === null ? undefined : (
          <>
            <Button onClick={() => turnTo(null)}>Cancel</Button>
            <Button look="primary" busy={busy} onClick={() => void saveDraft(draft)}>
              Save Changes
            </Button>
          </>
        )
      }
    >
      {/* What is chosen while the choices before it are being saved would be lost. */}
      <div inert={busy && draft !== null} className="flex flex-col gap-6 pt-1">
        {draft === null ? (
          <AllowSummary connector={connector} onManage={() => turnTo(allowDraftOf(allow_tools))} />
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
        <CallRecord connector={connector} />
      </div>
    </Dialog>
  )
}
