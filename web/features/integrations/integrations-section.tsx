import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../ui/button/button.tsx'
import { IntegrationFormDialog } from './form/integration-form-dialog.tsx'
import { IntegrationList } from './list/integration-list.tsx'
import { listOffers } from './form/list-offers.ts'
import { useAuthorize } from './use-authorize.ts'
import { useCreateIntegration } from './form/use-create-integration.ts'
import { useIntegrationList } from './use-integration-list.ts'
import { useIntegrationTypes } from './use-integration-types.ts'
import { useUpdateIntegration } from './form/use-update-integration.ts'

type OpenDialog = { readonly kind: 'add' } | { readonly kind: 'edit'; readonly integration: Integration }

/** The Integrations section of settings (§2.75-§2.90). */
export function IntegrationsSection() {
  const title = useId()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const integrations = useIntegrationList()
  // Read with the list, so that the form is complete when it opens.
  const types = useIntegrationTypes()
  const authorization = useAuthorize()
  const create = useCreateIntegration()
  const update = useUpdateIntegration()
  // A save may end after its dialog was left and another one opened.
  const close = () => setDialog((current) => (current === dialog ? null : current))

  const readAgain = () => Promise.all([types.mutate(), integrations.mutate()])

  /** Whoever adds what needs their consent goes on to give it (§2.89). */
  const goOn = async ({ name, auth_type }: IntegrationInput, isWanted: () => boolean) => {
    if (auth_type === 'oauth') await authorization.authorize(name, isWanted)
  }

  return (
    <section aria-labelledby={title}>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h2 id={title} className="text-lg font-semibold">
            Integrations
          </h2>
          <p className="text-sm text-muted">Manage your external service integrations</p>
        </div>
        <Button look="primary" onClick={() => setDialog({ kind: 'add' })}>
          <Plus size={16} aria-hidden />
          Add Integration
        </Button>
      </header>
      <IntegrationList
        list={integrations}
        authorization={authorization}
        onEdit={(integration) => setDialog({ kind: 'edit', integration })}
      />
      {dialog?.kind === 'add' && (
        <IntegrationFormDialog
          offers={listOffers(types, integrations)}
          onRetry={readAgain}
          onSave={create}
          onSaved={goOn}
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && (
        <IntegrationFormDialog
          integration={dialog.integration}
          offers={[dialog.integration.name]}
          onRetry={readAgain}
          onSave={(input) => update(dialog.integration.name, input)}
          onClose={close}
        />
      )}
    </section>
  )
}
