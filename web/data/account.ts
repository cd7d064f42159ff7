import type { AccountContents, AccountDeletion } from '@yonder/contract/account'
import useSWR from 'swr'
import { readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'

/** What is deleted with the account. */
export function useAccountContents() {
  return useSWR<AccountContents, Error>('/api/account')
}

/** Deletes the account with all data. The caller shows a failure. */
export function useDeleteAccount() {
  return useAction({
    call: (api, deletion: AccountDeletion) => api.post<null>('/api/account/delete', deletion),
    failure: (error) => `The account could not be deleted: ${readReason(error)}`,
    isFailureShown: false,
  })
}
