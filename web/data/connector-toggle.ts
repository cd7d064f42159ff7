import type { ConnectResult, Connector } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import type { ApiClient } from '../lib/api/api-client.ts'
import { readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { leaveFor } from '../lib/leave-for.ts'
import { createStore, useStore } from '../lib/store.ts'
import { useIsMounted } from '../lib/use-is-mounted.ts'
import { connectorPath } from './connectors.ts'
import { connectorsKey } from './keys.ts'
import { replaceInList } from './named-list.ts'

interface PendingToggle {
  readonly name: string
}

/** The connectors that are being connected or disconnected. */
const pendingToggles = createStore<readonly PendingToggle[]>([])

export function useIsToggling(name: string): boolean {
  return useStore(pendingToggles, (toggles) => toggles.some((toggle) => toggle.name === name))
}

/** Asks whether a connector may use an authorization server at other origins than the connector's. */
export interface OriginConfirmation {
  readonly name: string
  readonly origins: readonly string[]
  readonly resolve: (isConfirmed: boolean) => void
}

const originConfirmations = createStore<readonly OriginConfirmation[]>([])

/** The question that a dialog shows now. */
export function useOriginConfirmation(): OriginConfirmation | undefined {
  return useStore(originConfirmations, (all) => all[0])
}

async function confirmOrigins(name: string, origins: readonly string[]): Promise<boolean> {
  let confirmation: OriginConfirmation | undefined
  const isConfirmed = await new Promise<boolean>((resolve) => {
    const added: OriginConfirmation = { name, origins, resolve }
    confirmation = added
    originConfirmations.update((all) => [...all, added])
  })
  originConfirmations.update((all) => all.filter((other) => other !== confirmation))
  return isConfirmed
}

/** Answers every open question with no, so that the next user is not asked it. */
export function declineOrigins(): void {
  for (const { resolve } of originConfirmations.get()) resolve(false)
}

/** Returns the message for a failed toggle, without a name if the connector is unknown. */
export function describeToggleFailure(name: string | undefined, reason: string): string {
  return name === undefined
    ? `Failed to toggle connector: ${reason}`
    : `Failed to toggle connector "${name}": ${reason}`
}

/**
 * Connects a connector that is not connected, and disconnects one that is. If the user has
 * to consent first, the browser goes to the consent page, unless the component has been unmounted by then. The
 * consent page returns to the path `returnTo`.
 */
export function useToggleConnector(returnTo: string) {
  const { mutate } = useSWRConfig()
  const isMounted = useIsMounted()
  const action = useAction({
    call: async (api, { connector, onLeave }: ToggleInput) => {
      let result = await toggle(api, connector, returnTo)
      const origins = result?.origins_to_confirm ?? []
      const isConfirmed = origins.length > 0 && isMounted() && (await confirmOrigins(connector.name, origins))
      if (isConfirmed && isMounted()) result = await toggle(api, connector, returnTo, origins)
      if (result !== undefined && result.authorization_url !== null && isMounted()) {
        onLeave()
        await leaveFor(result.authorization_url)
      }
      return result
    },
    update: (update, { connector }) =>
      update<readonly Connector[]>(connectorsKey, (list) => replaceInList(list, connector.name, connector)),
    success: ({ authorization_url, origins_to_confirm = [], connector }, { connector: { name } }) =>
      authorization_url === null && origins_to_confirm.length === 0
        ? `Connector "${name}" ${connector.status}`
        : undefined,
    failure: (error, { connector: { name } }) => describeToggleFailure(name, readReason(error)),
  })
  return async (connector: ToggleInput['connector']): Promise<void> => {
    const pending: PendingToggle = { name: connector.name }
    pendingToggles.update((toggles) => [...toggles, pending])
    const end = () => pendingToggles.update((toggles) => toggles.filter((toggle) => toggle !== pending))
    // Without the Navigation API the action does not end when the user cancels the navigation, so `onLeave` ends the
    // toggle before the navigation.
    const result = await action.run({ connector, onLeave: end })
    // A failed call may have changed the connector too. The row stays busy until the list is loaded again.
    if (!result.done && result.error !== undefined) await mutate(connectorsKey)
    end()
  }
}

interface ToggleInput {
  readonly connector: Pick<Connector, 'name' | 'status'>
  /** Called when the browser is about to go to the consent page. */
  readonly onLeave: () => void
}

async function toggle(
  api: ApiClient,
  { name, status }: ToggleInput['connector'],
  returnTo: string,
  confirmed: readonly string[] = [],
): Promise<ConnectResult | undefined> {
  if (status === 'connected') {
    const connector = await api.post<Connector>(connectorPath(name, 'disconnect'))
    return connector && { connector, authorization_url: null }
  }
  return api.post<ConnectResult>(
    connectorPath(name, 'connect'),
    { return_to: returnTo, ...(confirmed.length === 0 ? {} : { confirmed_origins: confirmed }) },
    // The response sets a cookie, so that the consent is valid only in this browser.
    { credentials: 'same-origin' },
  )
}
