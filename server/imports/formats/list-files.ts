import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import type { FileSource } from '../imported-chat.ts'
import { type Archive, openArchive } from './archive.ts'
import { findAssetId } from './chatgpt.ts'
import type { ReadContext } from './format.ts'
import type { JsonFile } from './json-file.ts'
import { maxElementBytes } from './json-splitter.ts'
import { looseName } from './loose-values.ts'
import { addProjects } from './projects.ts'
import { splitJson } from './read-chat-values.ts'
import { isNewerVersion, newerVersion } from './yonder-version.ts'

/** Bytes of all JSON together, unpacked. Archives can be small and unpack to any size. */
const maxJsonBytes = 4 * 1024 ** 3
/** Bytes of all lists of such names together. What is beyond is not read, and its names are missing. */
const maxTableBytes = 1024 ** 3
/** Names of projects or assets that are kept. */
const maxNames = 200_000
/** An archive has one, which names each of its files. */
const maxManifests = 10
const maxManifestBytes = maxElementBytes
/** Files of an archive that are looked into because nothing is known by their names. */
const maxUnknownJson = 20_000

const shards = /(?:^|\/)conversations(?:[-_]\d+)?\.json$/i

/** What the files that were given contain. */
export interface OpenedFiles {
  readonly jsonFiles: readonly JsonFile[]
  readonly findAsset: ReadContext['findAsset']
  readonly findEntry: (archive: number, path: string) => FileSource | null
  /** Names by id. */
  readonly projects: ReadonlyMap<string, string>
  readonly close: () => void
}

interface Asset {
  readonly source: FileSource
  readonly name: string
}

/**
 * Opens the archives among the files, and lists what may have chats.
 * @throws AppError `invalid_request` for a file that is no ZIP and no JSON, and for archives that are damaged or too large
 */
export async function listFiles(
  files: readonly { readonly name: string; readonly path: string }[],
): Promise<OpenedFiles> {
  const archives = new Map<number, Archive>()
  const close = () => {
    for (const archive of archives.values()) archive.close()
  }
  try {
    const jsonFiles: JsonFile[] = []
    const tables = new Tables()
    for (const [index, file] of files.entries()) {
      if (await isZip(file.path)) {
        const archive = await openArchive(file.name, file.path)
        archives.set(index, archive)
        jsonFiles.push(...(await listArchive(file.name, index, archive)))
        await tables.addArchive(index, archive)
      } else {
        const { size } = await stat(file.path)
        const isNamedLikeChats = shards.test(file.name)
        const json: JsonFile = {
          name: file.name,
          archive: index,
          size,
          folder: '',
          isNamedLikeChats,
          open: async () => createReadStream(file.path),
        }
        jsonFiles.push(json)
        await tables.addFile(file.name, size, json.open)
      }
    }
    refuseTooLarge(files, jsonFiles)
    return { jsonFiles, ...tables.finders(archives), close }
  } catch (error) {
    close()
    throw error
  }
}

function refuseTooLarge(files: readonly { readonly name: string }[], jsonFiles: readonly JsonFile[]): void {
  const total = jsonFiles.reduce((sum, { size }) => sum + size, 0)
  if (total <= maxJsonBytes) return
  const names = files.map(({ name }) => name).join(', ')
  throw new AppError(
    'invalid_request',
    `The chats of ${names} are larger than 4 GB. Import fewer files at once.`,
  )
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    // The second mark begins an archive without files.
    return bytesRead === 4 && ['PK\x03\x04', 'PK\x05\x06'].includes(buffer.toString('latin1'))
  } finally {
    await file.close()
  }
}

/** Lists the files with chats: known ones by their names, and all JSON files of an archive that has none of these. */
async function listArchive(name: string, index: number, archive: Archive): Promise<readonly JsonFile[]> {
  const all = [...archive.entries.values()].filter(({ fileName }) => /\.json$/i.test(fileName))
  const folder = await findOwnExport(name, archive)
  const own =
    folder === undefined ? [] : all.filter(({ fileName }) => isOwnChat(fileName.slice(folder.length)))
  const named = folder === undefined ? all.filter(({ fileName }) => shards.test(fileName)) : []
  const isNamedLikeChats = own.length + named.length > 0
  const chosen = isNamedLikeChats ? [...own, ...named] : all.slice(0, maxUnknownJson)
  return chosen
    .toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1))
    .map((entry) => ({
      name: `${entry.fileName} in ${name}`,
      archive: index,
      size: entry.uncompressedSize,
      folder: folder ?? '',
      isNamedLikeChats,
      ...(own.length > 0 && { source: 'yonder' as const }),
      open: () => archive.read(entry),
    }))
}

function isOwnChat(path: string): boolean {
  return /^chats\/[^/]+\.json$/.test(path)
}

/** Returns the folder of an export of ours in the archive. */
async function findOwnExport(name: string, archive: Archive): Promise<string | undefined> {
  const manifests = [...archive.entries.values()].filter(
    ({ fileName, uncompressedSize }) =>
      /^(?:[^/]+\/)?manifest\.json$/.test(fileName) && uncompressedSize <= maxManifestBytes,
  )
  for (const entry of manifests.slice(0, maxManifests)) {
    const { format, version } = await readManifest(() => archive.read(entry))
    if (format !== 'yonder-export') continue
    if (isNewerVersion(version)) throw newerVersion(name)
    return entry.fileName.slice(0, -'manifest.json'.length)
  }
  return undefined
}

async function readManifest(openFile: JsonFile['open']): Promise<{ format?: unknown; version?: unknown }> {
  const manifest: { format?: unknown; version?: unknown } = {}
  for await (const { key, isItem, result } of splitJson('', openFile)) {
    if (isItem || !('value' in result)) continue
    if (key === 'format') manifest.format = result.value
    if (key === 'format_version') manifest.version = result.value
    if (manifest.format !== undefined && manifest.version !== undefined) break
  }
  return manifest
}

/** Where the assets and the names of projects are, of all files. */
class Tables {
  readonly #projects = new Map<string, string>()
  readonly #assets = new Map<string, Asset>()
  readonly #names = new Map<string, string>()
  #bytes = 0

  async addArchive(index: number, archive: Archive): Promise<void> {
    for (const { fileName } of archive.entries.values()) {
      const name = posix.basename(fileName)
      const id = name.startsWith('file') ? findAssetId(name) : undefined
      if (id === undefined || this.#assets.has(id)) continue
      // What follows the id is the name that the user gave the file.
      const rest = name.slice(id.length).replace(/^-/, '')
      this.#assets.set(id, {
        source: { archive: index, entry: fileName },
        name: /^[^.]/.test(rest) ? rest : name,
      })
    }
    for (const entry of archive.entries.values()) {
      await this.addFile(entry.fileName, entry.uncompressedSize, () => archive.read(entry))
    }
  }

  async addFile(path: string, size: number, openFile: JsonFile['open']): Promise<void> {
    const name = posix.basename(path)
    if (name !== 'projects.json' && name !== 'conversation_asset_file_names.json') return
    if (this.#bytes + size > maxTableBytes) return
    this.#bytes += size
    for await (const { key, isItem, result } of splitJson(name, openFile)) {
      if (this.#projects.size + this.#names.size >= maxNames) break
      if (!('value' in result)) continue
      if (isItem) addProjects(this.#projects, [result.value])
      else this.#addName(key ?? '', result.value)
    }
  }

  #addName(asset: string, value: unknown): void {
    const id = findAssetId(asset)
    const name = looseName.parse(value)
    if (id !== undefined && name !== null) this.#names.set(id, name)
  }

  finders(archives: ReadonlyMap<number, Archive>): Omit<OpenedFiles, 'jsonFiles' | 'close'> {
    return {
      projects: this.#projects,
      findAsset: (id) => {
        const asset = this.#assets.get(id)
        const name = this.#names.get(id) ?? asset?.name ?? null
        return asset === undefined && name === null ? undefined : { source: asset?.source ?? null, name }
      },
      findEntry: (index, path) =>
        archives.get(index)?.entries.has(path) === true ? { archive: index, entry: path } : null,
    }
  }
}
