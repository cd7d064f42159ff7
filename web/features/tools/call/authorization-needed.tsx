import { useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { InertText } from './inert-text.tsx'
import { useConnectors } from '../use-connectors.ts'
import { useConnect } from '../use-connect.ts'

export interface AuthorizationNeededProps {
  readonly chatId: string
  readonly server: string
}

/** Leads a person to where they give their consent, and back to this chat, for as long as it is missing. */
export function AuthorizationNeeded({ chatId, server }: AuthorizationNeededProps) {
  const connector = useConnectors().data?.find(({ name }) => name === server)
  const connect = useConnect()
  const [busy, setBusy] = useState(false)
  if (connector === undefined || connector.status === 'connected') return null
  const start = async () => {
    setBusy(true)
    await connect(server, `/chat/${chatId}`)
    setBusy(false)
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line p-3">
      <p className="min-w-0 flex-1 basis-40">
        <bdi className="font-medium">
          <InertText>{server}</InertText>
        </bdi>{' '}
        needs your authorization. Connect it, then ask again.
      </p>
      <Button look="primary" size="small" busy={busy} onClick={() => void start()}>
        Connect
      </Button>
    </div>
  )
}
