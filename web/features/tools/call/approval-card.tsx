import type { Message } from '@yonder/contract/message'
import { useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { describeAddress } from './describe-address.ts'
import { InertText } from './inert-text.tsx'
import { ToolChanges } from './tool-changes.tsx'
import { useAllowAlways } from '../use-allow-always.ts'
import { useConnectors } from '../use-connectors.ts'

export interface ApprovalCardProps {
  readonly message: Message
  readonly allow: (() => void) | undefined
  readonly deny: (() => void) | undefined
}

/** What a person needs to know before a tool runs, and the three answers (§4.19). */
export function ApprovalCard({ message, allow, deny }: ApprovalCardProps) {
  const { server = '', tool = '', call } = message
  const { data: connectors } = useConnectors()
  const connector = connectors?.find(({ name }) => name === server)
  // What it has become since says nothing of this call.
  const known = connector?.tools.find(
    ({ name, fingerprint }) => name === tool && fingerprint === call?.fingerprint,
  )
  const allowAlways = useAllowAlways()
  const [busy, setBusy] = useState(false)
  const rest = allow === undefined || deny === undefined || busy

  const always = async () => {
    setBusy(true)
    const isAllowed = await allowAlways(server, tool, call?.fingerprint)
    setBusy(false)
    if (isAllowed) allow?.()
  }
  return (
    <div className="flex flex-col gap-3 border-t border-line p-3">
      {call?.changes !== undefined && call.changes.length > 0 && <ToolChanges changes={call.changes} />}
      <p className="wrap-anywhere">
        Allow{' '}
        <bdi className="font-medium">
          <InertText>{server}</InertText>
        </bdi>
        {connector !== undefined && ` (${describeAddress(connector)})`} to run this tool with these arguments?
      </p>
      {known !== undefined && known.description !== '' && (
        <p dir="auto" className="line-clamp-3 text-xs text-muted wrap-anywhere">
          <InertText>{known.description}</InertText>
        </p>
      )}
      <div className="flex flex-wrap gap-2 max-sm:*:flex-auto max-sm:*:px-2">
        <Button look="primary" disabled={rest} onClick={allow}>
          Allow Once
        </Button>
        <Button busy={busy} disabled={rest && !busy} onClick={() => void always()}>
          Allow Always
        </Button>
        <Button look="plain" disabled={rest} onClick={deny}>
          Deny
        </Button>
      </div>
    </div>
  )
}
