import type { Connector, ConnectResult } from '@yonder/contract/connector'
import { useEffect, useState } from 'react'
import { useSWRConfig } from 'swr'
import useSWRImmutable from 'swr/immutable'
import type { ApiClient } from '../lib/api/api-client.ts'
import { readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { leaveFor } from '../lib/leave-for.ts'
import { useIsMounted } from '../lib/use-is-mounted.ts'
import { connectorPath } from './connectors.ts'
import { connectorsKey, storeInList } from './named-list.ts'

/** The key of the names of the connectors that are being connected or disconnected, which are only in the cache. */
const togglingKey = 'toggling connectors'

/** Asks whether a connector may use an authorization server at other origins than the connector's. */
export interface OriginQuestion {
  readonly origins: readonly string[]
  readonly answer: (isConfirmed: boolean) => void
}

/** Returns the message for a failed toggle, without a name if the connector is unknown. */
export function describeToggleFailure(name: string | undefined, reason: string): string {
  return name === undefined
    ? `Failed to toggle connector: ${reason}`
    : `Failed to toggle connector "${name}": ${reason}`
}

type ToggledConnector = Pick<Connector, 'name' | 'status'>

/**
 * Connects a connector that is not connected, and disconnects one that is. If the user has to consent first, the browser
 * goes to the consent page, unless the component has been unmounted by then. The consent page returns to the path
 * `returnTo`. The caller shows the `question`.
 */
export function useToggleConnector(connector: ToggledConnector, returnTo: string) {
  const { name } = connector
  const { mutate } = useSWRConfig()
  const { data: toggling = [] } = useSWRImmutable<readonly string[]>(togglingKey, () => [])
  const [question, setQuestion] = useState<OriginQuestion>()
  const isMounted = useIsMounted()
  useEffect(() => () => question?.answer(false), [question])
  const confirmOrigins = async (origins: readonly string[]) => {
    const isConfirmed = await new Promise<boolean>((answer) => setQuestion({ origins, answer }))
    setQuestion(undefined)
    return isConfirmed
  }
  const action = useAction({
    call: async (api, _input: void) => {
      let result = await toggle(api, connector, returnTo)
      const origins = result?.origins_to_confirm ?? []
      const isConfirmed = origins.length > 0 && isMounted() && (await confirmOrigins(origins))
      if (isConfirmed && isMounted()) result = await toggle(api, connector, returnTo, origins)
      if (result !== undefined && result.authorization_url !== null && isMounted())
        await leaveFor(result.authorization_url)
      return result
    },
    update: (update, { connector: changed }) =>
      update<readonly Connector[]>(connectorsKey, (list) => storeInList(list, changed.name, changed)),
    success: ({ authorization_url, origins_to_confirm = [], connector: { status } }) =>
      authorization_url === null && origins_to_confirm.length === 0
        ? `Connector "${name}" ${status}`
        : undefined,
    failure: (error) => describeToggleFailure(name, readReason(error)),
  })
  const changeToggling = (change: (names: readonly string[]) => readonly string[]) =>
    mutate<readonly string[]>(togglingKey, (names = []) => change(names), { revalidate: false })
  return {
    question,
    /** Also true while a component that is no longer mounted toggles it. */
    isToggling: toggling.includes(name),
    async toggle(): Promise<void> {
      await changeToggling((names) => [...names, name])
      const result = await action.run()
      // A failed call may have changed the connector too. The row stays busy until the list is loaded again.
      if (!result.done && result.error !== undefined) await mutate(connectorsKey)
      await changeToggling((names) => names.filter((other) => other !== name))
    },
  }
}

async function toggle(
  api: ApiClient,
  { name, status }: ToggledConnector,
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
