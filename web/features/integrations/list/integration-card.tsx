import type { Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { CalendarDays, KeyRound, Mail } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Authorization } from '../../../data/integrations.ts'
import { Entry, EntryButton } from '../../../ui/entry-list.tsx'
import { StateBadge } from '../../../ui/states/state-badge.tsx'
import { DisconnectDialog } from './disconnect-dialog.tsx'
import { IntegrationNotice } from './integration-notice.tsx'
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

  const closeWith = (setOpen: (open: false) => void) => () => {
    flushSync(() => setOpen(false))
    mainButton.current?.focus()
  }

  return (
    <Entry
      stacks
      icon={<IntegrationIcon name={name} />}
      name={<bdi className="line-clamp-2">{titleOfIntegration(name)}</bdi>}
      status={connected ? <StatusBadge integration={integration} /> : undefined}
      detail={
        <>
          <p className="wrap-anywhere">{describeIntegration(name)}</p>
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

/** The description of an integration. */
function describeIntegration(name: string): string {
  switch (name) {
    case 'google-calendar':
      return 'Connect your Google Calendar to access your events'
    case 'google-gmail':
      return 'Connect your Gmail account to access your emails'
    default:
      return `Connect to ${titleOfIntegration(name)}`
  }
}

/** The icon next to the name. */
function IntegrationIcon({ name }: { readonly name: string }) {
  const Icon = name === 'google-gmail' ? Mail : name === 'google-calendar' ? CalendarDays : KeyRound
  return <Icon size={18} aria-hidden />
}
