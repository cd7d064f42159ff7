import type { UserInfo } from '@yonder/contract/identity'
import useSWR from 'swr'

/** The signed-in user, as the server returns them. */
export function useUserInfo() {
  return useSWR<UserInfo, Error>('/api/auth/userinfo')
}
