import type { Connector, ConnectorTool, Permission } from '@yonder/contract/connector'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useChangePermissions } from '../../../data/connectors.ts'
import { describeChanges } from '../../../lib/use-form.ts'
import { Button } from '../../../ui/button/button.tsx'
import { focusInDialog } from '../../../ui/dialog/dialog-layer.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import {
  changesOf,
  isToolsDraftChanged,
  toolsDraftOf,
  withPermission,
  type ToolsDraft,
} from './allow-draft.ts'
import { AllowSummary, ManageTools } from './allowed-tools.tsx'
import { AvailableTools } from './available-tools.tsx'
import { CallLog } from './call-log.tsx'

export interface ConfigureToolsDialogProps {
  readonly connector: Connector
  readonly onClose: () => void
}

/** Shows which tools of a connector run without approval, all its tools, and the log of their calls. */
export function ConfigureToolsDialog({ connector, onClose }: ConfigureToolsDialogProps) {
  const { tools } = connector
  const stored = toolsDraftOf(connector)
  const permissions = useChangePermissions()
  const busy = permissions.pending
  /** Set in manage mode only. */
  const [draft, setDraft] = useState<ToolsDraft | null>(null)

  const switchTo = (next: ToolsDraft | null) => {
    // The focused button disappears when the mode changes.
    flushSync(() => setDraft(next))
    focusInDialog()
  }

  const store = (changed: ToolsDraft) =>
    permissions.run({ connector: connector.name, ...changesOf(changed, tools) })

  const save = async (changed: ToolsDraft) => {
    if ((await store(changed)).done) switchTo(null)
  }

  const setState = ({ name }: ConnectorTool, permission: Permission) => {
    if (draft === null) void store(withPermission(stored, name, permission))
    else setDraft(withPermission(draft, name, permission))
  }

  const unblock = async (name: string) => {
    if (draft !== null) flushSync(() => setDraft(withPermission(draft, name, 'ask')))
    else if (!(await store(withPermission(stored, name, 'ask'))).done) return
    // The row with the focused button has disappeared.
    focusInDialog()
  }

  const allowAgain = ({ name, fingerprint }: ConnectorTool) =>
    permissions.run({
      connector: connector.name,
      tools: [{ name, permission: 'allow', fingerprint }],
    })

  return (
    <FormDialog
      changes={describeChanges(draft !== null && isToolsDraftChanged(draft), busy)}
      title={`Configure Tools - ${connector.name}`}
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
          <AllowSummary connector={connector} onManage={() => switchTo(stored)} />
        ) : (
          <ManageTools tools={tools} draft={draft} onChange={setDraft} onEmptied={focusInDialog} />
        )}
        <AvailableTools
          connector={connector}
          busy={busy}
          draft={draft ?? stored}
          onChange={setState}
          onUnblock={(name) => void unblock(name)}
          onAllowAgain={draft !== null ? undefined : (tool) => void allowAgain(tool)}
        />
        <CallLog connector={connector} />
      </div>
    </FormDialog>
  )
}
