import { maxFileNameChars } from '@yonder/contract/lib/file-limits'
import type { ChatExportQuery } from '@yonder/contract/transfer'
import { requireChatToRead } from '../chats/chat-store.ts'
import { listWholePath } from '../chats/message-store.ts'
import { areThere } from '../db/files/file-bytes.ts'
import { cleanFileName } from '../files/file-name.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'
import { type ExportSource, type ReadExportedChat, readExportedChat } from './read-exported-chat.ts'
import { writeChatExport } from './write-json.ts'
import { writeMarkdown } from './write-markdown.ts'
import { writeZip, type ZipEntry } from './write-zip.ts'

/** A file to save, whose content is written while it is sent. */
export interface ChatFile {
  readonly name: string
  /** Its media type. */
  readonly type: string
  readonly content: AsyncIterable<string | Uint8Array>
}

/**
 * Exports a chat of a user: as JSON with all versions, or what it shows as Markdown, which is in a ZIP with its files.
 * @throws AppError `not_found`, `chat_deleted`
 */
export async function exportChat(
  source: ExportSource,
  user: User,
  chatId: string,
  { format, files }: ChatExportQuery,
): Promise<ChatFile> {
  const chat = await readExportedChat(source, user, (db) => requireChatToRead(db, user, chatId))
  if (chat === undefined) throw new AppError('not_found', 'There is no such chat.')
  const title = chat.facts.title ?? 'Chat'
  const nameWith = (ending: string): string => `${toName(title, 'text/plain', maxTitleChars)}${ending}`
  if (format === 'json')
    return {
      name: nameWith('.json'),
      type: 'application/json; charset=utf-8',
      content: writeChatExport(chat, files ? source.bytes : null),
    }
  const path = await readShownPath(source, chat)
  if (!files)
    return {
      name: nameWith('.md'),
      type: 'text/markdown; charset=utf-8',
      content: writeMarkdown(chat.messages, { title, path, findPath: () => undefined }),
    }
  const names = await nameFiles(source, chat)
  return {
    name: nameWith('.zip'),
    type: 'application/zip',
    content: writeZip(listEntries(source, chat, { title, path, names })),
  }
}

/** The end of the path may be another one meanwhile, but nothing before it changes. */
async function readShownPath(
  { db }: ExportSource,
  { facts }: ReadExportedChat,
): Promise<ReadonlySet<string>> {
  if (facts.selected_message_id === null) return new Set()
  const places = await listWholePath(db, facts.id, facts.selected_message_id)
  return new Set(places.map(({ id }) => id))
}

interface ShownChat {
  readonly title: string
  readonly path: ReadonlySet<string>
  /** The names of the files whose bytes are there, by id. */
  readonly names: ReadonlyMap<string, string>
}

/** The text, and the files that it names. */
async function* listEntries(
  { bytes }: ExportSource,
  chat: ReadExportedChat,
  { title, path, names }: ShownChat,
): AsyncGenerator<ZipEntry> {
  const taken = new Set<string>()
  const paths = new Map<string, string>()
  const findPath = (id: string): string | undefined => {
    const name = names.get(id)
    if (name === undefined || paths.has(id)) return paths.get(id)
    // In whatever case, each has a name of its own.
    const keyOf = (one: string) => one.normalize('NFC').toLowerCase()
    let own = name
    for (let number = 2; taken.has(keyOf(own)); number++) own = `${number} ${name}`
    taken.add(keyOf(own))
    paths.set(id, `files/${own}`)
    return paths.get(id)
  }
  yield {
    path: 'chat.md',
    content: writeMarkdown(chat.messages, { title, path, findPath }),
    isStored: false,
  }
  for (const [id, file] of paths) yield { path: file, content: bytes.read(id), isStored: true }
}

/** The names of a chat's files whose bytes are there, as their owner has them, by id. */
async function nameFiles(
  { bytes }: ExportSource,
  { files }: ReadExportedChat,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const { id, name, type } of files)
    if (await areThere(bytes, id)) names.set(id, fitBytes(toName(name, type, maxFileNameChars)))
  return names
}

/** Characters of a title in the name of a file. */
const maxTitleChars = 80

/** Makes a name that every system can save of a text: without a path and the signs that Windows refuses. */
function toName(text: string, type: string, maxChars: number): string {
  const cleaned = cleanFileName(text.replaceAll(/[\\/<>:"|?*]/g, ' '), type)
  const short = cleaned
    .slice(0, maxChars)
    .toWellFormed()
    .replace(/^[. ]+/, '')
  const letters = Array.from(short)
  const last = letters.findLastIndex((letter) => letter !== '.' && letter !== ' ')
  const name = letters.slice(0, last + 1).join('') || 'file'
  return isDevice.test(name) ? `_${name}` : name
}

/** The names of devices, which Windows refuses also with an ending. */
const isDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]) *(?:\.|$)/i

/** Bytes of the name of a file in a ZIP. File systems take 255, and a number may come before it. */
const maxNameBytes = 240

/** Cuts a name that has too many bytes. Its ending stays. */
function fitBytes(name: string): string {
  const ending = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''
  const letters = Array.from(name.slice(0, name.length - ending.length))
  while (Buffer.byteLength(letters.join('') + ending) > maxNameBytes) letters.pop()
  return letters.join('').trimEnd() + ending
}
