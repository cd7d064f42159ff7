import type {
  BrowseServer,
  Connector,
  ConnectorAccount,
  ConnectorInput,
  ModelTool,
  PermissionsInput,
  ToolCallList,
} from '@yonder/contract/connector'
import useSWR from 'swr'
import useSWRInfinite from 'swr/infinite'
import { readReason, type FieldLabels } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { createStore } from '../lib/store.ts'
import { connectorsKey, removeFromList, storeInList, useLiveListOptions } from './named-list.ts'

export function connectorPath(name: string, part?: 'connect' | 'disconnect' | 'calls' | 'account'): string {
  const path = `/api/mcp-server/${encodeURIComponent(name)}`
  return part === undefined ? path : `${path}/${part}`
}

/** The name of the connector that its row in the list shall connect. */
export const connectRequest = createStore<string | undefined>(undefined)

/** The labels of the connector form, for error messages that name a field. */
const labels: FieldLabels = {
  name: 'Name',
  url: 'URL',
  token: 'Token',
  client_id: 'Client ID',
  client_secret: 'Client Secret',
  headers: 'Headers',
  allow_tools: 'Allowed Tools',
}

/** The user's connectors with their tools, the default ones first. */
export function useConnectors() {
  return useSWR<readonly Connector[], Error>(connectorsKey, useLiveListOptions())
}

/** The options of a read that is made on each mount. */
const latest = { revalidateOnMount: true, dedupingInterval: 0 }

/** The list of `useConnectors`, loaded again on each mount, because the tool of a pending call may have changed. */
export function useLatestConnectors() {
  return useSWR<readonly Connector[], Error>(connectorsKey, { ...useLiveListOptions(), ...latest })
}

/** The current definition of a tool as models get it. */
export function useModelTool(connector: string, tool: string) {
  return useSWR<ModelTool, Error>(`${connectorPath(connector)}/tools/${encodeURIComponent(tool)}`, latest)
}

/**
 * The account that the calls of a connector use. Nothing is read without a connector. `credential` identifies
 * the stored credential of a pending call. It is part of the cache key, so that the account of another is not shown.
 */
export function useConnectorAccount(connector: Connector | undefined, credential: string | undefined) {
  const path = connector && connectorPath(connector.name, 'account')
  const query = credential === undefined ? '' : `?${new URLSearchParams({ credential })}`
  const key = path === undefined ? null : `${path}${query}`
  return useSWR<ConnectorAccount, Error>(key, latest)
}

/** The catalogue of connectors that can be added. */
export function useConnectorCatalogue() {
  return useSWR<{ readonly servers: readonly BrowseServer[] }, Error>('/api/browse-connectors')
}

/** The log of a connector's tool calls, the newest first, page by page. */
export function useCallLog(name: string) {
  return useCallPages(connectorPath(name, 'calls'))
}

/** The calls of all connectors that were decided in the last 90 days, the last decided first, page by page. */
export function useDecidedCalls() {
  return useCallPages('/api/tool-calls')
}

function useCallPages(path: string) {
  const { data, error, isValidating, size, setSize, mutate } = useSWRInfinite<ToolCallList, Error>(
    (index: number, previous: ToolCallList | null) => {
      if (index === 0) return path
      return previous?.next ? `${path}?${new URLSearchParams({ before: previous.next })}` : null
    },
    { revalidateFirstPage: false, revalidateOnMount: true },
  )
  const isLoadingMore = isValidating && data !== undefined && size > data.length
  return {
    /** Undefined until the first page is loaded. */
    calls: data?.flatMap(({ calls }) => calls),
    error: data === undefined ? error : undefined,
    hasMore: Boolean(data?.at(-1)?.next),
    isLoadingMore,
    /** Reads all pages again that are loaded. */
    reload: () => void mutate(),
    loadMore: () => {
      if (!isLoadingMore) void setSize(size + 1)
    },
  }
}

/** Creates a connector, or changes the `stored` one. `verb` is what the message for a failure calls this. */
export function useSaveConnector(stored?: Connector, verb: 'add' | 'save' = 'save') {
  return useAction({
    call: (api, input: ConnectorInput) =>
      stored === undefined
        ? api.post<Connector>('/api/mcp-server', input)
        : api.put<Connector>(connectorPath(stored.name), input),
    update: (update, connector) =>
      update<readonly Connector[]>(connectorsKey, (list) => storeInList(list, stored?.name, connector)),
    success: ({ name }) => `Connector "${name}" ${stored === undefined ? 'added' : 'updated'} successfully`,
    // An added connector is not connected.
    offer: ({ name, status }) =>
      stored === undefined && status !== 'connected'
        ? { label: 'Connect', run: () => connectRequest.set(name) }
        : undefined,
    failure: (error) => `Failed to ${verb} connector: ${readReason(error, labels)}`,
    // Another tab may have changed or deleted the connector.
    refresh: stored && ((mutate) => mutate(connectorsKey)),
  })
}

/** Deletes the connector of this name. */
export function useDeleteConnector() {
  return useAction({
    call: (api, name: string) => api.delete<null>(connectorPath(name)),
    update: (update, _response, name) =>
      update<readonly Connector[]>(connectorsKey, (list) => removeFromList(list, name)),
    success: () => 'Connector deleted successfully',
    failure: (error) => `Failed to delete connector: ${readReason(error)}`,
    refresh: (mutate) => mutate(connectorsKey),
  })
}

/** Changes which tools of a connector run without approval, and which are blocked. No other tool changes. */
export function useChangePermissions() {
  return useAction({
    call: (api, { connector, ...input }: PermissionsInput & { readonly connector: string }) =>
      api.patch<Connector>(connectorPath(connector), input),
    update: (update, changed, { connector }) =>
      update<readonly Connector[]>(connectorsKey, (list) => storeInList(list, connector, changed)),
    success: (_changed, { connector }) => `Allow tools updated successfully for "${connector}"`,
    failure: (error) => `Failed to update allow tools: ${readReason(error)}`,
    // A tool may have changed since the list was loaded.
    refresh: (mutate) => mutate(connectorsKey),
  })
}
