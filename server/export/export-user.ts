import { createHash } from 'node:crypto'
import { listDrafts } from '../chats/drafts/draft-store.ts'
import { presentToolCall } from '../connectors/calls/call-record-store.ts'
import type { Db } from '../db/database.ts'
import { areThere } from '../db/files/file-bytes.ts'
import { listSignIns } from '../identity/sessions/sign-in-store.ts'
import type { User } from '../identity/user.ts'
import type { ManagedUser } from '../identity/users/manage-users.ts'
import { toUser } from '../identity/users/user-store.ts'
import { listIntegrations } from '../integrations/integration-store.ts'
import { listProjects } from '../projects/project-store.ts'
import { type ExportedProject, type ExportManifest, formatVersion } from './export-format.ts'
import {
  findExportable,
  findInstructions,
  findUserById,
  listAllChatIds,
  listAllShares,
  listFilesOfNoChat,
  readAllPromptTexts,
  readAllQueued,
  readAllToolCalls,
  readAllUsage,
} from './export-store.ts'
import {
  presentBots,
  presentConnectors,
  presentIntegration,
  presentNotifications,
  presentPromptText,
  presentQueued,
  presentShare,
  presentSignIn,
  presentUsage,
  presentUser,
} from './present-settings.ts'
import { type ExportSource, type ReadExportedChat, readExportedChat } from './read-exported-chat.ts'
import { writeChatJson, writeJson, writeJsonList } from './write-json.ts'
import { writeZip, type ZipEntry } from './write-zip.ts'

export interface ExportDeps {
  readonly source: ExportSource
  /** The origin of shared links. */
  readonly publicUrl: string
  /** Of this program. */
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called before the first chat and after each one, with the number of chats so far and of all chats. */
  readonly onChat?: (done: number, total: number) => void
}

/**
 * Yields the bytes of a ZIP with the data of a user, whose format is in `export-format.ts`. Keys, tokens and
 * passwords are left out, and so is which prompt each reply was given. The server may run meanwhile: nothing is
 * changed, and a reply that is being written is exported with its text so far. In memory are only pages of messages,
 * pieces of files, and the names of the entries.
 */
export function exportUser(deps: ExportDeps, account: ManagedUser): AsyncGenerator<Buffer> {
  return writeZip(withManifest(deps, account))
}

type Counts = ExportManifest['counts']
type CountName = keyof Counts

/** What passes through an export: its entries, and what is counted of them. */
class Tally {
  readonly counts: Counts = { chats: 0, messages: 0, files: 0, projects: 0, bots: 0 }
  readonly entries: ExportManifest['entries'] = []

  count(name: CountName, added = 1): void {
    this.counts[name] += added
  }

  /** Measures the content of an entry while it is read. */
  async *measure({ path, content }: ZipEntry): AsyncGenerator<string | Uint8Array> {
    const hash = createHash('sha256')
    let size = 0
    for await (const part of content) {
      hash.update(part)
      size += Buffer.byteLength(part)
      yield part
    }
    this.entries.push({ path, size, sha256: hash.digest('hex') })
  }

  async *counting<Item>(
    name: CountName,
    pages: AsyncIterable<readonly Item[]>,
  ): AsyncGenerator<readonly Item[]> {
    for await (const page of pages) {
      this.count(name, page.length)
      yield page
    }
  }
}

async function* withManifest(deps: ExportDeps, account: ManagedUser): AsyncGenerator<ZipEntry> {
  const tally = new Tally()
  const exported_at = new Date(deps.now()).toISOString()
  for await (const entry of listEntries(deps, account, tally))
    yield { ...entry, content: tally.measure(entry) }
  const { counts, entries } = tally
  yield asJson('manifest.json', {
    format: 'yonder-export',
    format_version: formatVersion,
    exported_at,
    version: deps.version,
    counts,
    entries,
  } satisfies ExportManifest)
}

async function* listEntries(deps: ExportDeps, account: ManagedUser, tally: Tally): AsyncGenerator<ZipEntry> {
  const { db } = deps.source
  const row = account.userId === null ? undefined : await findUserById(db, account.userId)
  yield asJson('user.json', presentUser(account, row))
  // Those of a provider of its own are not known here, and a user may have chosen the id of an account there.
  const signIns = account.kind === 'provider' ? [] : await listSignIns(db, account.id)
  yield asJson('sign_ins.json', signIns.map(presentSignIn))
  if (row === undefined) return
  const user = toUser(row)
  yield* listSettings(deps, user, tally)
  yield* listChats(deps, user, tally)
}

async function* listSettings(
  { source: { db }, publicUrl }: ExportDeps,
  user: User,
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  yield asList('projects.json', readProjects(db, user, tally))
  const bots = await presentBots(db, user)
  tally.count('bots', bots.length)
  yield asJson('bots.json', bots)
  yield asJson('connectors.json', await presentConnectors(db, user))
  yield asJson('integrations.json', (await listIntegrations(db, user)).map(presentIntegration))
  const shares = await listAllShares(db, user.id)
  yield asJson(
    'shared_links.json',
    shares.map((share) => presentShare(share, publicUrl)),
  )
  yield asJson('notifications.json', await presentNotifications(db, user))
  yield asJson('drafts.json', await listDrafts(db, user))
  yield asList('queued_messages.json', presentAll(readAllQueued(db, user.id), presentQueued))
  yield asList('usage.json', presentAll(readAllUsage(db, user.id), presentUsage))
  yield asList('tool_calls.json', presentAll(readAllToolCalls(db, user.id), presentToolCall))
  yield asList('prompt_texts.json', presentAll(readAllPromptTexts(db, user.id), presentPromptText))
}

/** One by one: together their instructions can be too large to be in memory. */
async function* readProjects(db: Db, user: User, tally: Tally): AsyncGenerator<ExportedProject> {
  for (const { id, name, bot } of await listProjects(db, user)) {
    const instructions = await findInstructions(db, user, id)
    if (instructions === undefined) continue
    tally.count('projects')
    yield { id, name, bot, instructions }
  }
}

async function* listChats(
  { source, onChat }: ExportDeps,
  user: User,
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  const ids = await listAllChatIds(source.db, user)
  /** The entries of files so far, by the id of the file. Null when the bytes are not there. */
  const paths = new Map<string, string | null>()
  onChat?.(0, ids.length)
  for (const [index, id] of ids.entries()) {
    const chat = await readExportedChat(source, user, (db) => findExportable(db, user, id))
    if (chat !== undefined) {
      // First, because the chat says where they are.
      yield* listFiles(source, chat.files, paths, tally)
      const files = chat.files.map((file) => ({ ...file, path: paths.get(file.id) ?? null }))
      tally.count('chats')
      const messages = tally.counting('messages', chat.messages)
      yield {
        path: `chats/${id}.json`,
        content: writeChatJson({ ...chat, messages }, writeJson(files)),
        isStored: false,
      }
    }
    onChat?.(index + 1, ids.length)
  }
  yield* listFiles(source, await listFilesOfNoChat(source.db, user.id), paths, tally)
}

async function* listFiles(
  { bytes }: ExportSource,
  files: readonly Pick<ReadExportedChat['files'][number], 'id' | 'type'>[],
  paths: Map<string, string | null>,
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  for (const { id, type } of files) {
    if (paths.has(id)) continue
    const path = (await areThere(bytes, id)) ? `files/${id}${extensions[type] ?? ''}` : null
    paths.set(id, path)
    if (path === null) continue
    tally.count('files')
    yield { path, content: bytes.read(id), isStored: true }
  }
}

/** Of the types that files are stored with (`sniff-kind.ts`), so that a computer opens them. The name is the user's. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
  'text/markdown': '.md',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
}

function asJson(path: string, value: unknown): ZipEntry {
  return { path, content: writeJson(value), isStored: false }
}

function asList(path: string, items: AsyncIterable<unknown>): ZipEntry {
  return { path, content: writeJsonList(items), isStored: false }
}

async function* presentAll<Row, Item>(
  rows: AsyncIterable<Row>,
  present: (row: Row) => Item,
): AsyncGenerator<Item> {
  for await (const row of rows) yield present(row)
}
