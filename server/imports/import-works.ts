import { ImportOptions, type ImportResult } from '@yonder/contract/transfer'
import { z } from 'zod'
import { ownerOf } from '../access/access.ts'
import type { BotSecretDeps } from '../bots/bot-fields.ts'
import type { FileDeps } from '../files/store-file.ts'
import { findOrAddProject } from '../projects/change-projects.ts'
import { ImportReport } from '../transfers/present-transfer.ts'
import type { TransferRunnerDeps, Work, WorkContext } from '../transfers/run-transfers.ts'
import { changeTransfer, filesOf, type WorkingTransfer } from '../transfers/transfer-store.ts'
import { FileSources } from './formats/file-sources.ts'
import { sourceNames } from './formats/formats.ts'
import type { OpenedExport } from './formats/open-export.ts'
import type { readExport } from './formats/read-export.ts'
import { importSettings } from './import-settings.ts'
import { openLocalFiles } from './local-files.ts'
import { readPreview } from './read-preview.ts'
import { nothingDone, runImport, settleResult } from './run-import.ts'
import { Pacer } from './store-chat.ts'

export interface ImportWorksDeps {
  readonly files: FileDeps
  /** For the bots of our own exports. */
  readonly secrets: BotSecretDeps
  readonly readExport: typeof readExport
  /** Tells the user's open pages that lists show something else of these chats. */
  readonly onListed: (userId: string, chatIds: readonly string[]) => void
  /** Tells them that the messages of a chat have changed. */
  readonly onChatChanged: (userId: string, chatId: string) => void
  readonly onProjects: (userId: string) => void
  readonly onBots: (userId: string) => void
  readonly onError: (error: unknown) => void
}

/** What the user chose, in the column `options`: the id of the bot, which has no other name when it was renamed. */
export const StoredOptions = z.object({ bot_id: z.string(), project: ImportOptions.shape.project })
export type StoredOptions = z.infer<typeof StoredOptions>

/** Milliseconds between two writes of what an import has done so far. */
const reportMs = 1_000
/** Milliseconds between two notifications of the user's pages. */
const notifyMs = 3_000
/** Chats whose pages are told that messages were added. More are found when they are opened. */
const maxToldChats = 100

/** Returns the works of an import: it finds out what the files have, and then stores it. */
export function openImportWorks(deps: ImportWorksDeps): TransferRunnerDeps['works']['import'] {
  return {
    reading: (transfer, context) => withExport(deps, transfer, context, previewImport(deps)),
    running: (transfer, context) => withExport(deps, transfer, context, storeImport(deps)),
  }
}

type Outcome = Awaited<ReturnType<Work>>
type ExportWork = (
  transfer: WorkingTransfer,
  context: WorkContext,
  read: OpenedExport,
  sources: FileSources,
) => Promise<Outcome>

/** Opens the files of an import, and closes them and removes their copies however the work ends. */
async function withExport(
  { files: { database }, readExport }: ImportWorksDeps,
  transfer: WorkingTransfer,
  context: WorkContext,
  work: ExportWork,
): Promise<Outcome> {
  const local = await openLocalFiles(database, filesOf(transfer), context.signal)
  try {
    const read = await readExport(local.files, { signal: context.signal })
    const sources = new FileSources(local.files)
    try {
      return await work(transfer, context, read, sources)
    } finally {
      sources.close()
      read.close()
    }
  } finally {
    await local.close()
  }
}

function previewImport({ files: { database, now } }: ImportWorksDeps): ExportWork {
  return async (transfer, { signal, setProgress }, read, sources) => {
    const preview = await readPreview(
      {
        db: database.db,
        actor: ownerOf(transfer),
        sources,
        now: now(),
        signal,
        onChat: () => setProgress(read.bytesRead(), read.totalBytes),
      },
      read,
    )
    return { state: 'ready', report: JSON.stringify({ preview } satisfies ImportReport) }
  }
}

function storeImport(deps: ImportWorksDeps): ExportWork {
  const { files, secrets, onError, onBots, onProjects } = deps
  const { database, now } = files
  return async (transfer, { signal, setProgress }, read, sources) => {
    const actor = ownerOf(transfer)
    const { preview, result: before } = ImportReport.parse(JSON.parse(transfer.report ?? ''))
    const options = StoredOptions.parse(JSON.parse(transfer.options ?? ''))
    const projects = new Map<string, Promise<string | null>>()
    const openProject = (name: string): Promise<string | null> => {
      const found = projects.get(name) ?? findOrAddProject(database, actor, name, now())
      projects.set(name, found)
      return found
    }
    const project = options.project ? sourceNames[read.source] : null
    const projectOf = async (): Promise<Pick<ImportResult, 'project_id'>> => {
      const id = project === null ? null : ((await projects.get(project)) ?? null)
      return id === null ? {} : { project_id: id }
    }
    const changes = new Changes(deps, actor.id, projects)
    let result = nothingDone
    const write = async (state: 'running' | 'cancelled') => {
      const report = { preview, result: { ...result, ...(await projectOf()) } } satisfies ImportReport
      await changeTransfer(database.db, { id: transfer.id, state }, { report: JSON.stringify(report) })
    }
    if (read.source === 'yonder') {
      const added = await importSettings({ database, secrets, now }, actor, sources, filesOf(transfer).length)
      if (added.bots > 0) onBots(actor.id)
      if (added.projects > 0) onProjects(actor.id)
    }
    let lastWrite = performance.now()
    // With a result before the first chat, a process died on the way.
    if (before === undefined) await write('running')
    try {
      const total = preview.new_chats + preview.known_chats + preview.unreadable_chats
      const pacer = new Pacer(database.dialect)
      const frame = { deps: files, actor, botId: options.bot_id, openProject, sources, pacer, signal }
      result = await runImport(
        {
          frame,
          project,
          changes,
          onError,
          async onChat(done, so) {
            result = so
            setProgress(done, total)
            changes.flushSometimes()
            if (performance.now() - lastWrite < reportMs) return
            await write('running')
            lastWrite = performance.now()
          },
        },
        read,
      )
    } catch (error) {
      // The row has another state when the user has cancelled, so this does nothing in other cases.
      await write('cancelled').catch(() => undefined)
      throw error
    } finally {
      changes.flush()
    }
    const settled = before === undefined ? result : settleResult(result, preview)
    const report = { preview, result: { ...settled, ...(await projectOf()) } } satisfies ImportReport
    return { state: 'done', report: JSON.stringify(report) }
  }
}

/** Collects which chats have changed: pages read their lists once for many. */
class Changes {
  readonly #deps: ImportWorksDeps
  readonly #userId: string
  readonly #projects: ReadonlyMap<string, unknown>
  #listed: string[] = []
  #changed: string[] = []
  #countedProjects = 0
  #lastFlush = performance.now()

  constructor(deps: ImportWorksDeps, userId: string, projects: ReadonlyMap<string, unknown>) {
    this.#deps = deps
    this.#userId = userId
    this.#projects = projects
  }

  add(chatId: string, outcome: 'new' | 'changed'): void {
    this.#listed.push(chatId)
    if (outcome === 'changed' && this.#changed.length < maxToldChats) this.#changed.push(chatId)
  }

  flushSometimes(): void {
    if (performance.now() - this.#lastFlush >= notifyMs) this.flush()
  }

  flush(): void {
    const { onListed, onChatChanged, onProjects } = this.#deps
    if (this.#projects.size > this.#countedProjects) onProjects(this.#userId)
    if (this.#listed.length > 0) onListed(this.#userId, this.#listed)
    for (const chatId of this.#changed) onChatChanged(this.#userId, chatId)
    this.#countedProjects = this.#projects.size
    this.#listed = []
    this.#changed = []
    this.#lastFlush = performance.now()
  }
}
