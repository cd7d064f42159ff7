import type { ExportLink, ImportOptions, Transfer, Transfers } from '@yonder/contract/transfer'
import useSWR from 'swr'
import { isNotFound, readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { followDownload } from '../lib/files/save-file.ts'

export const transfersKey = '/api/transfers'

/** Between two reads while the server works, and while files of another page arrive there. */
const workingMs = 1_000
const uploadingMs = 5_000

/** The last import and the last export of the user, read again for as long as the server works on one of them. */
export function useTransfers() {
  return useSWR<Transfers, Error>(transfersKey, {
    // Another tab may have begun one.
    revalidateOnFocus: true,
    dedupingInterval: workingMs / 2,
    // A new function with each rendering, because SWR asks the same one no more after it has returned 0.
    refreshInterval: (latest) => {
      if (isWorking(latest?.import) || isWorking(latest?.export)) return workingMs
      return latest?.import?.state === 'uploading' ? uploadingMs : 0
    },
  })
}

const isWorking = (transfer: Transfer | null | undefined) =>
  transfer?.state === 'reading' || transfer?.state === 'running'

/** The kinds of transfers. */
type Kind = keyof Transfers

const pathOf = (kind: Kind, id: string, action: string) => `/api/${kind}s/${encodeURIComponent(id)}/${action}`

/** Returns what changes a cached transfer to a state. */
const withState =
  (kind: Kind, state: Transfer['state']) =>
  (transfers: Transfers | undefined): Transfers | undefined => {
    const transfer = transfers?.[kind]
    if (!transfers || !transfer) return transfers
    // What was counted in the state before does not count in this one.
    return { ...transfers, [kind]: { ...transfer, state, done: 0, total: null } }
  }

/** Cancels an import or an export. */
export function useCancelTransfer(kind: Kind) {
  return useAction({
    call: (api, id: string) => api.post<null>(pathOf(kind, id, 'cancel')),
    update: (update) => {
      void update<Transfers>(transfersKey, withState(kind, 'cancelled'))
      // The server ends its work within a second, and then knows all that was done until then.
      setTimeout(() => void update(transfersKey), 2 * workingMs)
      return update(transfersKey)
    },
    failure: (error) => `The ${kind} could not be cancelled. ${readReason(error)}`,
    refresh: (mutate) => mutate(transfersKey),
  })
}

/** Starts an import whose preview was seen. */
export function useStartImport(id: string) {
  return useAction({
    call: (api, options: ImportOptions) => api.post<unknown>(pathOf('import', id, 'start'), options),
    update: (update) => {
      void update<Transfers>(transfersKey, withState('import', 'running'))
      return update(transfersKey)
    },
    failure: (error) => `The import could not be started. ${readReason(error)}`,
    refresh: (mutate) => mutate(transfersKey),
  })
}

/** Starts an export of everything. */
export function useStartExport() {
  return useAction({
    call: (api, _nothing: void) => api.post<unknown>('/api/exports'),
    update: (update) => update(transfersKey),
    failure: (error) => `The export could not be started. ${readReason(error)}`,
    refresh: (mutate) => mutate(transfersKey),
  })
}

/** Downloads the file of an export. The browser does that itself, because the file may be larger than its memory. */
export function useDownloadExport() {
  return useAction({
    call: (api, id: string) => api.post<ExportLink>(pathOf('export', id, 'link')),
    update: (_update, { url }) => followDownload(url),
    failure: (error) =>
      isNotFound(error)
        ? 'The export is no longer here. Prepare it again.'
        : `The export could not be downloaded. ${readReason(error)}`,
    refresh: (mutate) => mutate(transfersKey),
  })
}
