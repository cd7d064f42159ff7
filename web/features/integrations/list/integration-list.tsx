import type { Integration } from '@yonder/contract/integration'
import { Blocks } from 'lucide-react'
import type { SWRResponse } from 'swr'
import type { Authorization } from '../../../data/integrations.ts'
import { useRetry } from '../../../lib/use-retry.ts'
import { EntryList } from '../../../ui/entry-list.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../../ui/states/states.tsx'
import { IntegrationCard } from './integration-card.tsx'

export interface IntegrationListProps {
  readonly list: SWRResponse<readonly Integration[], Error>
  readonly authorization: Authorization
  readonly onEdit: (integration: Integration) => void
}

/**
 * The list of integrations and its loading, empty and error states. A loaded list stays when a later request
 * fails.
 */
export function IntegrationList({ list, authorization, onEdit }: IntegrationListProps) {
  const { data: integrations, error, mutate } = list
  const { retrying, retry } = useRetry(mutate)
  if (integrations === undefined && error !== undefined && !retrying)
    return (
      <ErrorState title="Error loading integrations. Please try again later." onRetry={() => void retry()} />
    )
  if (integrations === undefined) return <LoadingState>Loading integrations...</LoadingState>
  if (integrations.length === 0)
    return (
      <EmptyState icon={<Blocks size={22} aria-hidden />} title="No integrations available">
        An integration lets your bots use your account at another service. Add one to start.
      </EmptyState>
    )
  return (
    <EntryList label="Integrations">
      {integrations.map((integration) => (
        <IntegrationCard
          key={integration.name}
          integration={integration}
          authorization={authorization}
          onEdit={() => onEdit(integration)}
        />
      ))}
    </EntryList>
  )
}
