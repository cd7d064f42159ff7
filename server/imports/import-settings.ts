import { BotInput } from '@yonder/contract/bot'
import { ProjectInput } from '@yonder/contract/project'
import type { Actor } from '../access/access.ts'
import type { BotSecretDeps } from '../bots/bot-fields.ts'
import { findBot } from '../bots/bot-store.ts'
import { addBot } from '../bots/save-bot.ts'
import type { Database } from '../db/database.ts'
import { collectBytes } from '../db/files/file-bytes.ts'
import { AppError } from '../lib/app-error.ts'
import { isObject } from '../lib/json-object.ts'
import { addProject } from '../projects/change-projects.ts'
import { listProjects } from '../projects/project-store.ts'
import type { FileSources } from './formats/file-sources.ts'

/** In bytes, of one list of an export: it is parsed while nobody else is served. */
const maxListBytes = 16 * 1_048_576
/** Items of it that are looked at. A user can have no more. */
const maxListItems = 1_000

export interface SettingsDeps {
  readonly database: Database
  readonly secrets: BotSecretDeps
  readonly now: () => number
}

/**
 * Adds the bots and the projects of our own export, unless the user has others of their names. A bot comes without its
 * key, and may use no connector where it could only use some: these are not here. What cannot be added is left out.
 * Returns how many were added.
 */
export async function importSettings(
  deps: SettingsDeps,
  actor: Actor,
  sources: Pick<FileSources, 'open'>,
  archives: number,
): Promise<{ readonly bots: number; readonly projects: number }> {
  const added = { bots: 0, projects: 0 }
  for (let archive = 0; archive < archives; archive++) {
    for (const bot of await readList(sources, archive, 'bots.json'))
      if (await isAdded(importBot(deps, actor, bot))) added.bots += 1
    for (const project of await readList(sources, archive, 'projects.json'))
      if (await isAdded(importProject(deps, actor, project))) added.projects += 1
  }
  return added
}

async function importBot(
  { database, secrets, now }: SettingsDeps,
  actor: Actor,
  value: object,
): Promise<boolean> {
  const { connectors = null, ...fields } = value as { readonly connectors?: unknown }
  const input = BotInput.omit({ connectors: true, api_key: true }).safeParse(fields).data
  if (input === undefined || (await findBot(database.db, actor, input.name)) !== undefined) return false
  await addBot(database, secrets, actor, { ...input, connectorIds: connectors === null ? null : [] }, now())
  return true
}

async function importProject({ database, now }: SettingsDeps, actor: Actor, value: object): Promise<boolean> {
  const input = ProjectInput.safeParse(value).data
  if (input === undefined) return false
  const projects = await listProjects(database.db, actor)
  if (projects.some(({ name }) => name === input.name)) return false
  const bot = typeof input.bot === 'string' ? await findBot(database.db, actor, input.bot) : undefined
  await addProject(database, actor, { ...input, bot: bot?.name ?? null }, now())
  return true
}

/** False also when a limit is reached, or the name was taken meanwhile. */
async function isAdded(work: Promise<boolean>): Promise<boolean> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The objects of a list in an export; none when it is missing, too large or damaged. */
async function readList(
  sources: Pick<FileSources, 'open'>,
  archive: number,
  entry: string,
): Promise<readonly object[]> {
  try {
    const { size, bytes } = await sources.open({ archive, entry })
    if (size > maxListBytes) return []
    const list: unknown = JSON.parse((await collectBytes(bytes)).toString('utf8'))
    return Array.isArray(list) ? list.slice(0, maxListItems).filter(isObject) : []
  } catch {
    return []
  }
}
