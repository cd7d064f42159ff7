import type { Connector } from '@yonder/contract/connector'
import { useToggleConnector } from '../../../data/connector-toggle.ts'
import { useLatestConnectors } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ConfirmOriginsDialog } from '../../../ui/dialog/confirm-origins-dialog.tsx'
import { InertText } from '../../../ui/inert-text.tsx'

export interface AuthorizationNeededProps {
  readonly chatId: string
  readonly server: string
}

/**
 * A button that opens the connector's consent page, which returns to this chat. Shown until the connector is connected.
 */
export function AuthorizationNeeded({ chatId, server }: AuthorizationNeededProps) {
  const connector = useLatestConnectors().data?.find(({ name }) => name === server)
  if (connector === undefined || connector.status === 'connected') return null
  return <ConnectRequest chatId={chatId} connector={connector} />
}

function ConnectRequest({ chatId, connector }: { readonly chatId: string; readonly connector: Connector }) {
  const { isToggling, question, toggle } = useToggleConnector(connector, `/chat/${chatId}`)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line p-3">
      <p className="min-w-0 flex-1 basis-40">
        <bdi className="font-medium">
          <InertText>{connector.name}</InertText>
        </bdi>{' '}
        needs your authorization. Connect it, then send your message again.
      </p>
      <Button look="primary" size="small" busy={isToggling} onClick={() => void toggle()}>
        Connect
      </Button>
      {question && (
        <ConfirmOriginsDialog name={connector.name} origins={question.origins} onAnswer={question.answer} />
      )}
    </div>
  )
}
