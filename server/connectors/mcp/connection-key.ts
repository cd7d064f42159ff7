import type { ConnectorRow } from '../../db/tables/connector-tables.ts'

/** Keys of a person's connections begin so. */
export function userPrefix(userId: string): string {
  return `${userId} `
}

/** Keys of a connector's connections begin so. */
export function connectionPrefix({ user_id, id }: Pick<ConnectorRow, 'user_id' | 'id'>): string {
  return `${userPrefix(user_id)}${id} `
}

/** A connection is never used under another key: not by another person, and not after its credentials have changed. */
export function connectionKey(
  connector: Pick<ConnectorRow, 'user_id' | 'id' | 'credential_version'>,
): string {
  return `${connectionPrefix(connector)}${connector.credential_version}`
}
