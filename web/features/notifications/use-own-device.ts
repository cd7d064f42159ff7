import type { NotificationSettings, PushDevice } from '@yonder/contract/notification'
import { useIdentity } from '../identity/use-identity.ts'
import { findOwnDevice } from './push-subscription.ts'

/** The signed-in user, and the device of the user that is this browser. */
export function useOwnDevice(settings: NotificationSettings): {
  readonly userId: string
  readonly device: PushDevice | undefined
} {
  const { state } = useIdentity()
  const userId = state.status === 'authenticated' ? state.user.sub : ''
  return { userId, device: findOwnDevice(settings, userId) }
}
