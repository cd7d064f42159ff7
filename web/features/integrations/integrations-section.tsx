import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { useAuthorization, useIntegrations, useIntegrationTypes } from '../../data/integrations.ts'
import { Button } from '../../ui/button/button.tsx'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { leaveForConsent } from './callback/pending-authorization.ts'
import { IntegrationFormDialog, listOffers } from './form/integration-form-dialog.tsx'
import { IntegrationList } from './list/integration-list.tsx'

type OpenDialog = { readonly kind: 'add' } | { readonly kind: 'edit'; readonly integration: Integration }

/** The Integrations section of settings. */
export function IntegrationsSection() {
  const title = useId()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const integrations = useIntegrations()
  // Loaded together with the list, so that the form rarely has to wait for them.
  const types = useIntegrationTypes()
  const authorization = useAuthorization(leaveForConsent)
  // Closes only the dialog that sent the request: meanwhile the user can have closed it and opened another.
  const close = () => setDialog((current) => (current === dialog ? null : current))

  const reload = () => Promise.all([types.mutate(), integrations.mutate()])

  /** Opens the consent page at once for an integration that needs the user's consent. */
  const openConsentPage = async ({ name, auth_type }: IntegrationInput, isWanted: () => boolean) => {
    if (auth_type === 'oauth') await authorization.authorize(name, isWanted)
  }

  return (
    <section aria-labelledby={title}>
      <SettingsHeader id={title} title="Integrations" description="Manage your external service integrations">
        <Button look="primary" onClick={() => setDialog({ kind: 'add' })}>
          <Plus size={16} aria-hidden />
          Add Integration
        </Button>
      </SettingsHeader>
      <IntegrationList
        list={integrations}
        authorization={authorization}
        onEdit={(integration) => setDialog({ kind: 'edit', integration })}
      />
      {dialog?.kind === 'add' && (
        <IntegrationFormDialog
          offers={listOffers(types, integrations)}
          onRetry={reload}
          onSaved={openConsentPage}
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && (
        <IntegrationFormDialog
          integration={dialog.integration}
          offers={[dialog.integration.name]}
          onRetry={reload}
          onClose={close}
        />
      )}
    </section>
  )
}
