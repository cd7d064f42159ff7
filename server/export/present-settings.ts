import { connectorNamesOf } from '../bots/bot-fields.ts'
import { listBots } from '../bots/bot-store.ts'
import { contentOfQueued } from '../completions/queue/shown-queue.ts'
import { listConnectors } from '../connectors/connector-store.ts'
import { listGrants } from '../connectors/tools/grant-store.ts'
import { presentLimits } from '../connectors/tools/match-grants.ts'
import { listPermissions } from '../connectors/tools/permission-store.ts'
import { listToolVersions } from '../connectors/tools/tool-store.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import type {
  PromptTextTable,
  QueuedMessageRow,
  ShareRow,
  UsageRecordRow,
  UserRow,
} from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import type { ManagedUser } from '../identity/users/manage-users.ts'
import { findChoices, findWebhook, listDevices } from '../notifications/notification-store.ts'
import { formatNanos } from '../usage/present-usage.ts'
import type {
  ExportedBot,
  ExportedConnector,
  ExportedIntegration,
  ExportedNotifications,
  ExportedPromptText,
  ExportedQueued,
  ExportedShare,
  ExportedSignIn,
  ExportedUsage,
  ExportedUser,
} from './export-format.ts'

/*
 * What an export says of a user besides chats. Of keys, tokens and passwords, it says only whether there is one.
 */

export function presentUser(account: ManagedUser, row: UserRow | undefined): ExportedUser {
  return {
    id: row?.id ?? null,
    account: account.id,
    sign_in: account.kind,
    status: account.status,
    name: row?.name ?? account.name,
    email: row?.email ?? account.email,
    picture: row?.picture ?? null,
    created_at: time(account.createdAt),
    last_used_at: account.usedAt === null ? null : time(account.usedAt),
  }
}

export function presentSignIn(signIn: {
  readonly browser: string | null
  readonly created_at: number
  readonly used_at: number
}): ExportedSignIn {
  return { browser: signIn.browser, created_at: time(signIn.created_at), last_used_at: time(signIn.used_at) }
}

export async function presentBots(db: Db, user: User): Promise<ExportedBot[]> {
  const [bots, named] = await Promise.all([listBots(db, user), listConnectors(db, user)])
  return bots.map(
    ({ id: _id, user_id: _user, is_default: _default, api_key, connectors, created_at, ...bot }) => ({
      ...bot,
      has_api_key: api_key !== null,
      connectors: connectorNamesOf({ connectors }, named),
      created_at: time(created_at),
    }),
  )
}

export async function presentConnectors(db: Db, user: User): Promise<ExportedConnector[]> {
  const connectors = await listConnectors(db, user)
  const ids = connectors.map(({ id }) => id)
  const [tools, permissions] = await Promise.all([listToolVersions(db, ids), listPermissions(db, ids)])
  const namesOf = (rows: readonly { connector_id: string; name: string }[], { id }: ConnectorRow) =>
    rows.flatMap(({ connector_id, name }) => (connector_id === id ? [name] : []))
  const allowed = permissions.filter(({ permission }) => permission === 'allow')
  const blocked = permissions.filter(({ permission }) => permission === 'block')
  const grants = await Promise.all(connectors.map((connector) => listGrants(db, user, connector)))
  return connectors.map((connector, index) => ({
    name: connector.name,
    url: connector.url,
    is_default: connector.is_default === 1,
    status: connector.status,
    has_token: connector.token !== null,
    has_headers: connector.headers !== null,
    client_id: connector.client_id,
    has_client_secret: connector.client_secret !== null,
    allowed_tools: connector.asks === 0 ? null : namesOf(allowed, connector),
    blocked_tools: namesOf(blocked, connector),
    limited_tools: (grants[index] ?? []).map((grant) => ({
      ...presentLimits(grant, null),
      tool: grant.name,
      created_at: time(grant.created_at),
      last_used_at: grant.used_at === null ? null : time(grant.used_at),
      uses: grant.uses,
    })),
    tools: namesOf(tools, connector),
    created_at: time(connector.created_at),
  }))
}

/** What the user is told, and where, without the addresses of browsers at push services. */
export async function presentNotifications(db: Db, user: User): Promise<ExportedNotifications> {
  const webhook = await findWebhook(db, user)
  return {
    ...(await findChoices(db, user)),
    devices: (await listDevices(db, user)).map(({ label, created_at, used_at }) => ({
      label,
      created_at: time(created_at),
      last_used_at: used_at === null ? null : time(used_at),
    })),
    webhook: webhook === undefined ? null : { url: webhook.url, created_at: time(webhook.created_at) },
  }
}

export function presentIntegration(row: IntegrationRow): ExportedIntegration {
  return {
    name: row.name,
    has_api_key: row.api_key !== null,
    has_tokens: row.tokens !== null,
    scopes: row.scopes?.split(' ') ?? [],
    ended: row.ended === 1,
    created_at: time(row.created_at),
  }
}

/** `publicUrl` is the origin of the link. */
export function presentShare(
  { id, chat_id, message_id, created_at }: ShareRow,
  publicUrl: string,
): ExportedShare {
  return { url: `${publicUrl}/share/${id}`, chat_id, message_id, created_at: time(created_at) }
}

export function presentUsage(row: UsageRecordRow): ExportedUsage {
  const { id: _id, user_id: _user, bot_id: _bot, time: at, cost, ...record } = row
  return { ...record, time: time(at), cost: cost === null ? null : formatNanos(BigInt(cost)) }
}

export function presentQueued(row: QueuedMessageRow & { readonly bot: string | null }): ExportedQueued {
  return {
    chat_id: row.chat_id,
    bot: row.bot,
    content: contentOfQueued(row),
    created_at: time(row.created_at),
  }
}

export function presentPromptText({
  content,
  used_at,
}: Pick<PromptTextTable, 'content' | 'used_at'>): ExportedPromptText {
  return { content, used_at: time(used_at) }
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString()
