import { useConnectors } from '../../data/connectors.ts'
import { useAuthorizationReturn } from '../../features/connectors/list/authorization-return.ts'

/** Shows how the consent to a connector went, on the screen that the user started it from. */
export function AuthorizationReturn() {
  useAuthorizationReturn(useConnectors().data)
  return null
}
