import type { OwnShare, SharedChat, ShareResponse } from '@yonder/contract/share'
import useSWR from 'swr'
import { readPublicly } from '../lib/api/api-client.ts'
import { isNotFound, readReason } from '../lib/api/api-error.ts'
import { optionalReadOptions, readOptions } from '../lib/api/api-provider.tsx'
import { useAction } from '../lib/api/use-action.ts'
import { sharesKey } from './named-list.ts'

/** The link to a share. */
export function shareAddress(shareId: string): string {
  return new URL(`/share/${shareId}`, location.origin).href
}

/** The links that the user has created, the newest first. */
export function useShares() {
  return useSWR<{ readonly shares: readonly OwnShare[] }, Error>(sharesKey)
}

const sharedChatOptions = {
  ...readOptions,
  // A shared chat never changes.
  revalidateOnReconnect: false,
  // A missing chat is logged, but not read again.
  onErrorRetry: optionalReadOptions.onErrorRetry,
}

/** The chat behind a link. */
export function useSharedChat(shareId: string) {
  return useSWR<SharedChat, Error>(
    `/api/share/${encodeURIComponent(shareId)}`,
    readPublicly,
    sharedChatOptions,
  )
}

/** Creates the link to a message, or returns the existing one. A failure is only logged. */
export function useCreateShare(chatId: string) {
  return useAction({
    call: (api, messageId: string) => api.post<ShareResponse>(`/api/share/${chatId}`, { messageId }),
    update: (update) => update(sharesKey),
    failure: () => 'Failed to generate share link',
    isFailureShown: false,
  })
}

/** Changes whether the visitors of a link may read the files in its messages. */
export function useShareFiles() {
  return useAction({
    call: (api, { id, files }: Pick<OwnShare, 'id' | 'files'>) =>
      api.patch<null>(`/api/share/${id}`, { files }),
    update: (update) => update(sharesKey),
    success: (_answer, { files }) =>
      files
        ? 'Visitors of the link see its files now'
        : 'Visitors of the link see only the names of its files now',
    failure: (error) => `The link could not be changed: ${readReason(error)}`,
  })
}

/** Revokes a link. A link that was already revoked, for example in another tab, counts as a success. */
export function useRevokeShare() {
  return useAction({
    call: (api, shareId: string) =>
      api.delete<null>(`/api/share/${shareId}`).catch((error: unknown) => {
        if (isNotFound(error)) return null
        throw error
      }),
    update: (update) => update(sharesKey),
    success: () => 'Link revoked',
    failure: (error) => `Failed to revoke link: ${readReason(error)}`,
  })
}
