import type { Integration, IntegrationAuth, IntegrationInput } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { useState } from 'react'
import useSWR from 'swr'
import { readReason, type FieldLabels } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { useIsMounted } from '../lib/use-is-mounted.ts'
import { integrationsKey, storeInList, useLiveListOptions } from './named-list.ts'

export function integrationPath(name: string, part?: 'disconnect' | 'auth' | 'callback'): string {
  const last = encodeURIComponent(name)
  return part === undefined ? `/api/integration/${last}` : `/api/integration/${part}/${last}`
}

/** The labels of the integration form, for error messages that name a field. */
export const integrationLabels: FieldLabels = {
  name: 'Integration',
  auth_type: 'Authentication Type',
  api_key: 'API Key',
}

/** The integrations that the user has added. */
export function useIntegrations() {
  return useSWR<readonly Integration[], Error>(integrationsKey, useLiveListOptions())
}

/** The names of all integrations that can be added. */
export function useIntegrationTypes() {
  return useSWR<readonly string[], Error>('/api/integration/types')
}

/** Adds an integration, or changes the `stored` one. */
export function useSaveIntegration(stored?: Integration) {
  return useAction({
    call: (api, input: IntegrationInput) =>
      stored === undefined
        ? api.post<Integration>('/api/integration', input)
        : api.put<Integration>(integrationPath(stored.name), input),
    update: (update, integration) =>
      update<readonly Integration[]>(integrationsKey, (list) => storeInList(list, stored?.name, integration)),
    success: ({ name }) =>
      `Integration "${titleOfIntegration(name)}" ${stored === undefined ? 'added' : 'updated'} successfully`,
    failure: (error) => `Failed to save integration: ${readReason(error, integrationLabels)}`,
    // Another tab may have changed the integration.
    refresh: stored && ((mutate) => mutate(integrationsKey)),
  })
}

/** Stores a new API key; an empty key removes the stored one. */
export function useSaveKey({ name, auth_type }: Integration) {
  const title = titleOfIntegration(name)
  return useAction({
    call: (api, key: string) =>
      api.put<Integration>(integrationPath(name), {
        name,
        auth_type,
        api_key: key,
        connected: key !== '',
      } satisfies IntegrationInput),
    update: (update, integration) =>
      update<readonly Integration[]>(integrationsKey, (list) => storeInList(list, name, integration)),
    success: () => `${title} API key updated successfully`,
    failure: () => `Failed to update ${title} API key`,
    refresh: (mutate) => mutate(integrationsKey),
  })
}

/** Disconnects an integration. */
export function useDisconnect(name: string) {
  const title = titleOfIntegration(name)
  return useAction({
    call: (api, _input: void) => api.post<Integration>(integrationPath(name, 'disconnect')),
    update: (update, integration) =>
      update<readonly Integration[]>(integrationsKey, (list) => storeInList(list, name, integration)),
    success: () => `${title} disconnected successfully`,
    failure: () => `Failed to disconnect ${title}`,
    refresh: (mutate) => mutate(integrationsKey),
  })
}

/** `openPage` sends the browser to the address of the consent page. */
export function useAuthorization(openPage: (authUrl: string) => Promise<void>) {
  const isMounted = useIsMounted()
  const [pending, setPending] = useState<string>()
  const [failed, setFailed] = useState<{ readonly name: string; readonly reason: string }>()
  const action = useAction({
    call: async (api, { name, isWanted }: { readonly name: string; readonly isWanted: () => boolean }) => {
      const auth = await api.get<IntegrationAuth>(integrationPath(name, 'auth'))
      if (auth !== undefined && isMounted() && isWanted()) await openPage(auth.authUrl)
      return auth
    },
    failure: (_error, { name }) => `Failed to initiate ${titleOfIntegration(name)} authentication`,
  })
  return {
    /** The integration whose consent page is being opened. */
    pending,
    /** The last integration whose consent page could not be opened, and the reason. */
    failed,
    /**
     * Sends the browser to the page where the user gives their consent, unless the component has been
     * unmounted or `isWanted` returns false by then.
     */
    async authorize(name: string, isWanted = isMounted): Promise<void> {
      setPending(name)
      setFailed(undefined)
      const result = await action.run({ name, isWanted })
      if (!result.done && result.error !== undefined) setFailed({ name, reason: readReason(result.error) })
      // The user may have started another authorization meanwhile.
      setPending((current) => (current === name ? undefined : current))
    },
  }
}

export type Authorization = ReturnType<typeof useAuthorization>
