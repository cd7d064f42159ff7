import type { Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { CalendarDays, KeyRound, Mail } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { StateBadge } from '../../../ui/states/state-badge.tsx'
import { DisconnectDialog } from './disconnect-dialog.tsx'
import { IntegrationNotice } from './integration-notice.tsx'
import { KeyForm } from './key-form.tsx'
import type { Authorization } from '../../../data/integrations.ts'

export interface IntegrationCardProps {
  readonly integration: Integration
  readonly authorization: Authorization
  readonly onEdit: () => void
}

/**
 * One integration: its description, its status, and the buttons for its actions (§2.77, §2.78, §2.79, §2.80, §2.81,
 * §2.82).
 */
export function IntegrationCard({ integration, authorization, onEdit }: IntegrationCardProps) {
  const id = useId()
  const [isConfirming, setConfirming] = useState(false)
  const [isKeyOpen, setKeyOpen] = useState(false)
  /** The button that is shown in every state, to which the focus returns. */
  const mainButton = useRef<HTMLButtonElement>(null)
  const { name, auth_type, connected, api_key } = integration
  const { pending, failed, authorize } = authorization

  const returnFrom = (close: (open: false) => void) => () => {
    flushSync(() => close(false))
    mainButton.current?.focus()
  }

  const shared = { size: 'small', 'aria-describedby': `${id}-name` } as const
  return (
    <li className="rounded-card border border-line bg-surface px-4 py-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-64 gap-3.5">
          <IntegrationIcon name={name} />
          <Summary id={`${id}-name`} integration={integration} />
        </div>
        <div
          className={classNames(
            'ml-auto flex flex-wrap justify-end gap-1.5',
            // The last button has no border, so its text is aligned with the edge of the card.
            (auth_type === 'api_key' || connected) && '-mr-3',
          )}
        >
          {auth_type === 'oauth' ? (
            <Button
              {...shared}
              ref={mainButton}
              look={connected ? 'plain' : 'quiet'}
              busy={pending === name}
              onClick={() => (connected ? setConfirming(true) : void authorize(name))}
            >
              {pending === name ? 'Connecting...' : connected ? 'Disconnect' : 'Connect'}
            </Button>
          ) : (
            <>
              <Button
                {...shared}
                ref={mainButton}
                aria-expanded={isKeyOpen}
                aria-controls={isKeyOpen ? `${id}-key` : undefined}
                onClick={() => setKeyOpen(!isKeyOpen)}
              >
                {api_key === null ? 'Add API Key' : 'Update API Key'}
              </Button>
              <Button {...shared} look="plain" onClick={onEdit}>
                Edit
              </Button>
              {connected && (
                <Button {...shared} look="plain" onClick={() => setConfirming(true)}>
                  Disconnect
                </Button>
              )}
            </>
          )}
        </div>
      </div>
      {isKeyOpen && <KeyForm id={`${id}-key`} integration={integration} onClose={returnFrom(setKeyOpen)} />}
      <IntegrationNotice integration={integration} failed={failed} />
      {isConfirming && (
        <DisconnectDialog
          integration={integration}
          onDisconnected={returnFrom(setConfirming)}
          onCancel={() => setConfirming(false)}
        />
      )}
    </li>
  )
}

function Summary({ id, integration }: { readonly id: string; readonly integration: Integration }) {
  const { name, connected, api_key } = integration
  return (
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 id={id} className="min-w-0 text-sm font-medium wrap-anywhere">
          <bdi className="line-clamp-2">{titleOfIntegration(name)}</bdi>
        </h3>
        {connected && <StateBadge tone="success">Connected</StateBadge>}
      </div>
      <p className="line-clamp-2 text-sm text-muted wrap-anywhere">{describeIntegration(name)}</p>
      {api_key !== null && (
        <p className="mt-1 text-xs text-muted">
          API key <code className="font-mono wrap-anywhere text-ink">{api_key}</code>
        </p>
      )}
    </div>
  )
}

/** The description of an integration (§2.77). */
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
  return (
    <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-sunken text-muted">
      <Icon size={18} aria-hidden />
    </span>
  )
}
