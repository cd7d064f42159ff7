import type { Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { CalendarDays, CircleAlert, KeyRound, Mail, TriangleAlert, type LucideIcon } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useDisconnect, type Authorization } from '../../../data/integrations.ts'
import { useIsMounted } from '../../../lib/use-is-mounted.ts'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'
import { Entry, EntryButton, StateBadge } from '../../../ui/entry-list.tsx'
import { QuotedText } from '../../../ui/quoted-text.tsx'
import { KeyForm } from './key-form.tsx'

export interface IntegrationCardProps {
  readonly integration: Integration
  readonly authorization: Authorization
  readonly onEdit: () => void
}

/**
 * One integration: its description, its status, and the buttons for its actions.
 */
export function IntegrationCard({ integration, authorization, onEdit }: IntegrationCardProps) {
  const id = useId()
  const [isConfirming, setConfirming] = useState(false)
  const [isKeyOpen, setKeyOpen] = useState(false)
  /** The button that is shown in every state. It gets the focus when the key form closes, and after disconnecting. */
  const mainButton = useRef<HTMLButtonElement>(null)
  const { name, auth_type, connected, api_key } = integration
  const { pending, failed, authorize } = authorization
  const title = titleOfIntegration(name)
  const { Icon, description } = google[name] ?? { Icon: KeyRound, description: `Connect to ${title}` }

  const closeWith = (setOpen: (open: false) => void) => () => {
    flushSync(() => setOpen(false))
    mainButton.current?.focus()
  }

  return (
    <Entry
      stacks
      icon={<Icon size={18} aria-hidden />}
      name={<bdi className="line-clamp-2">{title}</bdi>}
      status={connected ? <StatusBadge integration={integration} /> : undefined}
      detail={
        <>
          <p className="wrap-anywhere">{description}</p>
          {api_key !== null && (
            <p className="text-xs">
              API key <code className="font-mono wrap-anywhere text-ink">{api_key}</code>
            </p>
          )}
        </>
      }
      actions={
        auth_type === 'oauth' ? (
          <EntryButton
            ref={mainButton}
            look={connected ? 'muted' : 'plain'}
            busy={pending === name}
            onClick={() => (connected ? setConfirming(true) : void authorize(name))}
          >
            {pending === name ? 'Connecting...' : connected ? 'Disconnect' : 'Connect'}
          </EntryButton>
        ) : (
          <>
            <EntryButton
              ref={mainButton}
              aria-expanded={isKeyOpen}
              aria-controls={isKeyOpen ? `${id}-key` : undefined}
              onClick={() => setKeyOpen(!isKeyOpen)}
            >
              {api_key === null ? 'Add API Key' : 'Update API Key'}
            </EntryButton>
            <EntryButton onClick={onEdit}>Edit</EntryButton>
            {connected && <EntryButton onClick={() => setConfirming(true)}>Disconnect</EntryButton>}
          </>
        )
      }
    >
      {isKeyOpen && <KeyForm id={`${id}-key`} integration={integration} onClose={closeWith(setKeyOpen)} />}
      <IntegrationNotice integration={integration} failed={failed} />
      {isConfirming && (
        <DisconnectDialog
          integration={integration}
          onDisconnected={closeWith(setConfirming)}
          onCancel={() => setConfirming(false)}
        />
      )}
    </Entry>
  )
}

/** The status of a connected integration. */
function StatusBadge({ integration: { error_message } }: { readonly integration: Integration }) {
  if (error_message === undefined) return <StateBadge tone="success">Connected</StateBadge>
  return <StateBadge tone="danger">Failed</StateBadge>
}

/** What the card shows of the integrations with an account at Google. */
const google: Readonly<Record<string, { readonly Icon: LucideIcon; readonly description: string }>> = {
  'google-calendar': {
    Icon: CalendarDays,
    description: 'Connect your Google Calendar to access your events',
  },
  'google-gmail': { Icon: Mail, description: 'Connect your Gmail account to access your emails' },
}

interface DisconnectDialogProps {
  readonly integration: Integration
  /** Called after disconnecting, unless the dialog was closed meanwhile. */
  readonly onDisconnected: () => void
  readonly onCancel: () => void
}

/** Asks the user to confirm disconnecting an integration. */
function DisconnectDialog({ integration, onDisconnected, onCancel }: DisconnectDialogProps) {
  const disconnect = useDisconnect(integration.name)
  const isMounted = useIsMounted()
  const title = titleOfIntegration(integration.name)

  return (
    <ConfirmDialog
      title={`Disconnect ${title}`}
      message={`Are you sure you want to disconnect ${title}? You will need to re-authenticate to use it again.`}
      action="Disconnect"
      onConfirm={async () => (await disconnect.run()).done}
      onDone={() => isMounted() && onDisconnected()}
      onCancel={onCancel}
    />
  )
}

interface IntegrationNoticeProps {
  readonly integration: Integration
  readonly failed: Authorization['failed']
}

/**
 * Shows why the consent page could not be opened. Otherwise it shows the integration's error and the server's
 * notice, each if there is one.
 */
function IntegrationNotice({ integration, failed }: IntegrationNoticeProps) {
  const { name, error_message, notice } = integration
  if (failed?.name === name) return <Notice text={failed.reason} kind="error" isNew />
  return (
    <>
      {error_message !== undefined && <Notice text={error_message} kind="error" />}
      {notice !== null && <Notice text={notice} kind="warning" />}
    </>
  )
}

interface NoticeProps {
  readonly text: string
  readonly kind: 'error' | 'warning'
  /** Whether it has just happened, so that it is announced. */
  readonly isNew?: boolean
}

function Notice({ text, kind, isNew = false }: NoticeProps) {
  const Icon = kind === 'error' ? CircleAlert : TriangleAlert
  return (
    <div
      role={isNew ? 'alert' : undefined}
      className="mt-3.5 flex items-start gap-2.5 border-t border-line pt-3 text-sm"
    >
      <Icon
        size={16}
        aria-hidden
        className={kind === 'error' ? 'mt-0.5 shrink-0 text-danger' : 'mt-0.5 shrink-0 text-warning'}
      />
      <p className="min-w-0 wrap-anywhere">
        <QuotedText>{text}</QuotedText>
      </p>
    </div>
  )
}
