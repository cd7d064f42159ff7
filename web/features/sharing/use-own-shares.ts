import type { OwnShare } from '@yonder/contract/share'
import useSWR from 'swr'
import { sharesKey } from './shares-key.ts'

/** The person's own links, the newest first. */
export function useOwnShares() {
  return useSWR<{ readonly shares: readonly OwnShare[] }, Error>(sharesKey)
}
