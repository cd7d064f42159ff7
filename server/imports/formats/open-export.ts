import { AppError } from '../../lib/app-error.ts'
import { isObject } from '../../lib/json-object.ts'
import type { ImportedChat, ImportSource, UnreadableChat } from '../imported-chat.ts'
import type { ReadContext } from './format.ts'
import { formats, sourceNames } from './formats.ts'
import type { JsonFile } from './json-file.ts'
import { listFiles, type OpenedFiles } from './list-files.ts'
import { looseName } from './loose-values.ts'
import { addProjects } from './projects.ts'
import { readChatValues } from './read-chat-values.ts'
import { sniffJson, type Sniffed } from './sniff-json.ts'

/** A file on the local disk, and the name that the user knows. */
export interface ExportFile {
  readonly name: string
  readonly path: string
}

export interface OpenedExport {
  readonly source: ImportSource
  /** Of all JSON, unpacked. */
  readonly totalBytes: number
  /** Reads all chats once, in order. A part that cannot be read becomes an `UnreadableChat`. */
  readonly chats: () => AsyncGenerator<ImportedChat | UnreadableChat>
  /** How much of `totalBytes` has been read. */
  readonly bytesRead: () => number
  readonly close: () => void
}

const expected =
  'Expected: the ZIP file of an export, or its conversations.json, or conversations-000.json and so on.'

/** Parts of exports that have no chats. They are ignored when they are given with the others. */
const companions =
  /(?:^|\/)(?:users?|user_settings|projects|memories|manifest|export_manifest|message_feedback|shared_conversations|sectioned_conversations|model_comparisons|group_chats|library_files|conversation_asset_file_names|ads|shopping|tasks)\.json$/i

/**
 * Opens the files of one export, in any number: ZIP files, JSON files and shards of either. What they are is found out
 * from their content. A problem of a chat is reported in its place, and does not stop the others.
 * @throws AppError `invalid_request` with a sentence for the user, when there is no export in the files
 */
export async function openExport(files: readonly ExportFile[]): Promise<OpenedExport> {
  const opened = await listFiles(files)
  try {
    const { source, jsonFiles } = await findChatFiles(files, opened)
    let bytesRead = 0
    const onBytes = (count: number) => void (bytesRead += count)
    return {
      source,
      totalBytes: jsonFiles.reduce((total, { size }) => total + size, 0),
      chats: () => readChats(source, jsonFiles, opened, onBytes),
      bytesRead: () => bytesRead,
      close: opened.close,
    }
  } catch (error) {
    opened.close()
    throw error
  }
}

async function findChatFiles(
  files: readonly ExportFile[],
  { jsonFiles }: OpenedFiles,
): Promise<{ source: ImportSource; jsonFiles: readonly JsonFile[] }> {
  const sniffed = new Map<JsonFile, Sniffed>()
  for (const file of jsonFiles) sniffed.set(file, await sniffJson(file))
  const source = requireOneSource(sniffed)
  if (source === undefined) throw noExport(files, sniffed)
  // A file that is named like one with chats is read although nothing in it is known, so that its problems are reported.
  const chosen = jsonFiles.filter((file) => file.isNamedLikeChats || sniffed.get(file)?.source !== undefined)
  for (const [index, { name }] of files.entries()) {
    if (chosen.some(({ archive }) => archive === index) || companions.test(name)) continue
    throw new AppError('invalid_request', `${name} holds no export that Yonder knows. ${expected}`)
  }
  return { source, jsonFiles: chosen }
}

function requireOneSource(sniffed: ReadonlyMap<JsonFile, Sniffed>): ImportSource | undefined {
  const names = new Map<ImportSource, string>()
  for (const [{ name }, { source }] of sniffed) {
    if (source !== undefined && !names.has(source)) names.set(source, name)
  }
  if (names.size > 1) {
    const list = Array.from(names, ([source, name]) => `${name} from ${sourceNames[source]}`)
    throw new AppError(
      'invalid_request',
      `These files come from different products: ${list.join(', ')}. Import them one after the other.`,
    )
  }
  return [...names.keys()][0]
}

function noExport(files: readonly ExportFile[], sniffed: ReadonlyMap<JsonFile, Sniffed>): AppError {
  const empty = [...sniffed].find(([, { isEmpty }]) => isEmpty)?.[0]
  if (empty !== undefined) return new AppError('invalid_request', `${empty.name} holds no chats.`)
  const names = files.map(({ name }) => name)
  const listed =
    names.length > 3
      ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} other files`
      : names.join(', ')
  const verb = names.length === 1 ? 'holds' : 'hold'
  return new AppError('invalid_request', `${listed} ${verb} no export that Yonder knows. ${expected}`)
}

async function* readChats(
  source: ImportSource,
  jsonFiles: readonly JsonFile[],
  { findAsset, findEntry, projects }: OpenedFiles,
  onBytes: (count: number) => void,
): AsyncGenerator<ImportedChat | UnreadableChat> {
  const knownProjects = new Map(projects)
  for (const file of jsonFiles) {
    const context: ReadContext = {
      findAsset,
      findEntry: (path) => findEntry(file.archive, file.folder + path),
      findProject: (id) => knownProjects.get(id) ?? null,
    }
    const open = async () => countBytes(await file.open(), onBytes)
    for await (const part of readChatValues(file.name, open, (value) => addProjects(knownProjects, value))) {
      const chat = 'problem' in part ? part : readChat(source, part.value, context)
      if (chat !== null) yield chat
    }
  }
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

function readChat(
  source: ImportSource,
  value: unknown,
  context: ReadContext,
): ImportedChat | UnreadableChat | null {
  if (!isObject(value)) return { sourceId: null, title: null, problem: 'It is no chat.' }
  try {
    return formats[source].read(value, context)
  } catch {
    // For example a value that is nested too deeply.
    return {
      sourceId: null,
      title: looseName.parse(value['title']),
      problem: 'It has a form that Yonder does not know.',
    }
  }
}
