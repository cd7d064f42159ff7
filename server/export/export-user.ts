import type { Message } from '@yonder/contract/message'
import { exportable } from '../access/access.ts'
import { connectorNamesOf } from '../bots/bot-fields.ts'
import { listBots } from '../bots/bot-store.ts'
import { findFile, listFiles } from '../chats/file-store.ts'
import { readChatAt, type RunReader } from '../chats/present-chat.ts'
import { findActiveRun } from '../completions/log/run-store.ts'
import { foldLog } from '../completions/maintenance/end-run.ts'
import { presentToolCall } from '../connectors/calls/call-record-store.ts'
import { listConnectors } from '../connectors/connector-store.ts'
import { listPermissions } from '../connectors/tools/permission-store.ts'
import { listToolVersions } from '../connectors/tools/tool-store.ts'
import type { Db } from '../db/database.ts'
import type { Snapshot } from '../db/read-snapshot.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import type { ChatRow, ShareRow, UsageRecordRow, UserRow } from '../db/tables/tables.ts'
import { listSignIns } from '../identity/sessions/sign-in-store.ts'
import type { User } from '../identity/user.ts'
import type { ManagedUser } from '../identity/users/manage-users.ts'
import { toUser } from '../identity/users/user-store.ts'
import { listIntegrations } from '../integrations/integration-store.ts'
import { listProjects, requireCountedProject } from '../projects/project-store.ts'
import { formatNanos } from '../usage/present-usage.ts'
import {
  findUserById,
  listAllChats,
  listAllPromptTexts,
  listAllShares,
  listAllToolCalls,
  listAllUsage,
} from './export-store.ts'

export interface ExportDeps {
  /** All data of the result is of its moment. */
  readonly database: Snapshot
  /** The origin of shared links. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called after each chat was read, with the number of chats so far and of all chats. */
  readonly onChat?: (done: number, total: number) => void
}

/**
 * Yields the text of one JSON object, in parts, with the data of a user. Keys, tokens and
 * passwords are left out, and so is which prompt each reply was given. The server may run meanwhile: nothing is
 * changed, and a reply that is being written is exported with its text so far.
 */
export async function* exportUser(deps: ExportDeps, account: ManagedUser): AsyncGenerator<string> {
  const { db } = deps.database
  const row = account.userId === null ? undefined : await findUserById(db, account.userId)
  const sections: [name: string, read: () => Promise<unknown>][] = [
    ['user', async () => presentUser(account, row)],
    ['sign_ins', async () => (await listSignIns(db, account.id)).map(presentSignIn)],
    ...(row === undefined ? [] : listSections(deps, toUser(row))),
  ]
  yield `{\n${field('format', 'yonder-user')},\n${field('format_version', 1)},\n${field('exported_at', time(deps.now()))}`
  for (const [name, read] of sections) yield `,\n${field(name, await read())}`
  yield ',\n  "projects": ['
  if (row !== undefined) yield* exportProjects(db, toUser(row))
  yield '],\n  "chats": ['
  if (row !== undefined) yield* exportChats(deps, toUser(row))
  yield ']\n}\n'
}

function listSections(
  { database: { db }, publicUrl }: ExportDeps,
  user: User,
): [name: string, read: () => Promise<unknown>][] {
  return [
    ['bots', () => presentBots(db, user)],
    ['connectors', () => presentConnectors(db, user)],
    ['integrations', async () => (await listIntegrations(db, user)).map(presentIntegration)],
    [
      'shared_links',
      async () => (await listAllShares(db, user.id)).map((share) => presentShare(share, publicUrl)),
    ],
    ['usage', async () => (await listAllUsage(db, user.id)).map(presentUsage)],
    ['tool_calls', async () => (await listAllToolCalls(db, user.id)).map(presentToolCall)],
    [
      'prompt_texts',
      async () =>
        (await listAllPromptTexts(db, user.id)).map(({ content, used_at }) => ({
          content,
          used_at: time(used_at),
        })),
    ],
  ]
}

/** One by one: together their instructions can be too large to be in memory. */
async function* exportProjects(db: Db, user: User): AsyncGenerator<string> {
  let isFirst = true
  for (const { id, name, bot } of await listProjects(db, user)) {
    const { instructions } = await requireCountedProject(db, user, id)
    yield `${isFirst ? '' : ','}\n${indent({ id, name, bot, instructions }, 4)}`
    isFirst = false
  }
  if (!isFirst) yield '\n  '
}

async function* exportChats({ database, onChat }: ExportDeps, user: User): AsyncGenerator<string> {
  const { db } = database
  const chats = await listAllChats(db, user)
  let isFirst = true
  for (const [index, row] of chats.entries()) {
    const chat = await readWholeChat(database, user, row)
    onChat?.(index + 1, chats.length)
    const files = await listFiles(db, user, row.id, exportable)
    // The object stays open for the files, which are too large to be in memory together.
    yield `${isFirst ? '' : ','}\n${indent(chat, 4).slice(0, -'\n    }'.length)}${files.length === 0 ? '' : ',\n      "files": ['}`
    isFirst = false
    let isFirstFile = true
    for (const file of files) {
      const found = await findFile(db, user, file.id, exportable)
      if (found === undefined) continue
      yield `${isFirstFile ? '' : ','}\n${indent({ ...file, base64: found.data }, 8)}`
      isFirstFile = false
    }
    yield files.length === 0 ? '\n    }' : '\n      ]\n    }'
  }
  if (!isFirst) yield '\n  '
}

/** Reads the run of a chat from its log, since this process executes none. */
const runs: RunReader = {
  async read({ db, dialect }, chatId) {
    const run = await findActiveRun(db, dialect, chatId)
    if (run === undefined) return undefined
    const { seq, messages } = await foldLog(db, run.id)
    return { run: { message_id: run.message_id, seq }, messages }
  },
}

async function readWholeChat(snapshot: Snapshot, user: User, row: ChatRow) {
  const read = await readChatAt(snapshot, row, { runs, user, pagesFrom: snapshot.db })
  if (read === 'expired') throw new Error('a run of an export cannot expire')
  const { run: _run, ...chat } = read
  const messages: Message[] = []
  for await (const page of chat.messages) messages.push(...page)
  return { ...chat, messages }
}

function presentUser(account: ManagedUser, row: UserRow | undefined) {
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

function presentSignIn(signIn: { browser: string | null; created_at: number; used_at: number }) {
  return { browser: signIn.browser, created_at: time(signIn.created_at), last_used_at: time(signIn.used_at) }
}

async function presentBots(db: Db, user: User) {
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

async function presentConnectors(db: Db, user: User) {
  const connectors = await listConnectors(db, user)
  const ids = connectors.map(({ id }) => id)
  const [tools, permissions] = await Promise.all([listToolVersions(db, ids), listPermissions(db, ids)])
  const namesOf = (rows: readonly { connector_id: string; name: string }[], { id }: ConnectorRow) =>
    rows.flatMap(({ connector_id, name }) => (connector_id === id ? [name] : []))
  const allowed = permissions.filter(({ permission }) => permission === 'allow')
  const blocked = permissions.filter(({ permission }) => permission === 'block')
  return connectors.map((connector) => ({
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
    tools: namesOf(tools, connector),
    created_at: time(connector.created_at),
  }))
}

function presentIntegration({ name, api_key, tokens, scopes, ended, created_at }: IntegrationRow) {
  return {
    name,
    has_api_key: api_key !== null,
    has_tokens: tokens !== null,
    scopes: scopes?.split(' ') ?? [],
    ended: ended === 1,
    created_at: time(created_at),
  }
}

function presentShare({ id, chat_id, message_id, created_at }: ShareRow, publicUrl: string) {
  return { url: `${publicUrl}/share/${id}`, chat_id, message_id, created_at: time(created_at) }
}

function presentUsage({ id: _id, user_id: _user, bot_id: _bot, time: at, cost, ...record }: UsageRecordRow) {
  return { time: time(at), ...record, cost: cost === null ? null : formatNanos(BigInt(cost)) }
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString()

const field = (name: string, value: unknown): string =>
  `  ${JSON.stringify(name)}: ${indent(value, 2).trimStart()}`

/** Formats a value as JSON in which each line begins with this number of spaces, or more. */
function indent(value: unknown, spaces: number): string {
  const margin = ' '.repeat(spaces)
  return margin + JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`)
}
