import { useAuthorizationReturn } from '../../features/connectors/list/use-authorization-return.ts'
import { useConnectorList } from '../../features/connectors/use-connector-list.ts'

/** Tells how the consent to a connector went, on the screen that a person gave it from. */
export function AuthorizationReturn() {
  useAuthorizationReturn(useConnectorList().data)
  return null
}
