import type { ConnectorConsentRow, ConnectorGrantRow, ConnectorRow } from '../tables/connector-tables.ts'
import type { IntegrationConsentRow, IntegrationRow } from '../tables/integration-tables.ts'
import type { BotRow, PushSubscriptionRow, WebhookRow } from '../tables/tables.ts'
import type { SealContext } from './seal-secret.ts'

/*
 * The contexts of all sealed columns: purpose, owner and row. A value that was copied to another row, column or user
 * cannot be opened there.
 */

export function botKeyContext({ id, user_id }: Pick<BotRow, 'id' | 'user_id'>): SealContext {
  return { purpose: 'bot key', owner: user_id, row: [id] }
}

type ConnectorId = Pick<ConnectorRow, 'id' | 'user_id'>

export function connectorTokenContext({ id, user_id }: ConnectorId): SealContext {
  return { purpose: 'connector token', owner: user_id, row: [id] }
}

export function connectorHeadersContext({ id, user_id }: ConnectorId): SealContext {
  return { purpose: 'connector headers', owner: user_id, row: [id] }
}

export function clientSecretContext({ id, user_id }: ConnectorId): SealContext {
  return { purpose: 'connector client secret', owner: user_id, row: [id] }
}

/** The contexts of a grant's columns. A grant belongs to the address of its connector too. */
export function grantContext(
  column: 'tokens' | 'details',
  { id, user_id, url }: Pick<ConnectorRow, 'id' | 'user_id' | 'url'>,
  { issuer }: Pick<ConnectorGrantRow, 'issuer'>,
): SealContext {
  return { purpose: `connector ${column}`, owner: user_id, row: [id, url, issuer] }
}

export function connectorConsentContext(
  consent: Pick<ConnectorConsentRow, 'state_hash' | 'connector_id' | 'user_id' | 'browser_hash'>,
): SealContext {
  const { state_hash, connector_id, user_id, browser_hash } = consent
  return { purpose: 'connector consent', owner: user_id, row: [connector_id, state_hash, browser_hash] }
}

type IntegrationKey = Pick<IntegrationRow, 'user_id' | 'name'>

export function integrationKeyContext({ user_id, name }: IntegrationKey): SealContext {
  return { purpose: 'integration key', owner: user_id, row: [name] }
}

export function integrationTokensContext({ user_id, name }: IntegrationKey): SealContext {
  return { purpose: 'integration tokens', owner: user_id, row: [name] }
}

export function integrationConsentContext({
  user_id,
  name,
  state_hash,
}: Pick<IntegrationConsentRow, 'user_id' | 'name' | 'state_hash'>): SealContext {
  return { purpose: 'integration consent', owner: user_id, row: [name, state_hash] }
}

export function pushSubscriptionContext({
  id,
  user_id,
}: Pick<PushSubscriptionRow, 'id' | 'user_id'>): SealContext {
  return { purpose: 'push subscription', owner: user_id, row: [id] }
}

/** The secret belongs to the address that it was made for. */
export function webhookSecretContext({ user_id, url }: Pick<WebhookRow, 'user_id' | 'url'>): SealContext {
  return { purpose: 'webhook secret', owner: user_id, row: [url] }
}

export function installationKeyContext(name: string): SealContext {
  return { purpose: 'installation key', owner: '', row: [name] }
}

/** A record of the built-in provider. Its grant is its owner, if it has one. */
export function signInRecordContext(record: {
  readonly model: string
  readonly id: string
  readonly grant_id: string | null
}): SealContext {
  return { purpose: 'sign-in record', owner: record.grant_id ?? '', row: [record.model, record.id] }
}

/** A ticket is in no column: whoever has it may read this export. */
export function exportTicketContext(exportId: string): SealContext {
  return { purpose: 'export ticket', owner: '', row: [exportId] }
}
