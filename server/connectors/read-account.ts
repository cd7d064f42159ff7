import type { ConnectorAccount } from '@yonder/contract/connector'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { credentialIdOf } from './connector-store.ts'

const unknownAccount: ConnectorAccount = { account: null, time_zone: null }

/** Returns the account that the calls of a connector use, cached by credential; nulls when it is not known. */
export async function readAccount(
  { builtIns, shared: { accounts } }: Pick<ConnectorDeps, 'builtIns' | 'shared'>,
  connector: ConnectorRow,
): Promise<ConnectorAccount> {
  const builtIn = connector.is_default === 1 ? builtIns.find(connector.url) : undefined
  if (builtIn?.readAccount === undefined) return unknownAccount
  const version = await builtIns.readCredentialVersion(connector)
  const key = credentialIdOf({ id: connector.id, credential_version: version })
  const known = accounts.get(key)
  if (known !== undefined) return known
  try {
    const account = await builtIn.readAccount(connector.user_id)
    accounts.set(key, account)
    return account
  } catch {
    // The page shows the call without its account; the call itself explains what is wrong.
    return unknownAccount
  }
}
