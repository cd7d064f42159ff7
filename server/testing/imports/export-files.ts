import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReadContext } from '../../imports/formats/format.ts'
import { type ExportFile, openExport } from '../../imports/formats/open-export.ts'
import type { ImportedChat, UnreadableChat } from '../../imports/imported-chat.ts'
import { makeZip, type ZipEntry } from '../files/make-zip.ts'

const folders: string[] = []

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Writes files to a folder that is removed at the end of the process. A value is written as JSON, and a list of entries as a ZIP. */
export async function writeExport(files: Readonly<Record<string, unknown>>): Promise<ExportFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'yonder-export-'))
  folders.push(folder)
  const written: ExportFile[] = []
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, `${written.length}`)
    await writeFile(path, Buffer.isBuffer(content) ? content : toText(content))
    written.push({ name, path })
  }
  return written
}

function toText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

export function zipOf(entries: Readonly<Record<string, unknown>>): Buffer {
  return makeZip(
    Object.entries(entries).map(([name, data]): ZipEntry => ({
      name,
      data: Buffer.isBuffer(data) ? data : toText(data),
    })),
  )
}

export async function readAll(files: Readonly<Record<string, unknown>>) {
  const opened = await openExport(await writeExport(files))
  try {
    const chats: ImportedChat[] = []
    const problems: UnreadableChat[] = []
    for await (const chat of opened.chats()) {
      if ('problem' in chat) problems.push(chat)
      else chats.push(chat)
    }
    return { source: opened.source, chats, problems, bytes: [opened.bytesRead(), opened.totalBytes] }
  } finally {
    opened.close()
  }
}

/** What chats refer to when there is only their JSON. */
export const emptyContext: ReadContext = {
  findAsset: () => undefined,
  findEntry: () => null,
  findProject: () => null,
}

export function requireChat(chat: ImportedChat | UnreadableChat | null): ImportedChat {
  if (chat === null || 'problem' in chat) throw new Error(chat?.problem ?? 'There is no chat.')
  return chat
}

/** The messages of a chat in a form that tests can compare: one line each, below its parent. */
export function outline({ messages, selectedMessageId }: ImportedChat): string[] {
  const depths = new Map<string | null, number>([[null, -1]])
  return messages.map((message) => {
    const depth = (depths.get(message.parent_id) ?? Number.NaN) + 1
    depths.set(message.id, depth)
    const text =
      typeof message.content === 'string'
        ? message.content
        : message.content.map((part) => (part.type === 'text' ? part.text : `[${part.file.name}]`)).join(' ')
    const call = message.call === undefined ? '' : ` → ${message.tool}(${message.arguments})`
    const outcome = message.outcome === undefined ? '' : ` ← ${message.tool} ${message.outcome.status}`
    const reasoning = message.reasoning === undefined ? '' : ` {${message.reasoning}}`
    const mark = message.id === selectedMessageId ? ' *' : ''
    return `${'  '.repeat(depth)}${message.role}:${reasoning} ${text}${call}${outcome}${mark}`
  })
}

/** Throws unless the messages are a forest with parents before children, unique ids, rising times, and answered calls. */
export function checkForest({ messages, selectedMessageId, files }: ImportedChat): void {
  const roles = new Map<string, string>()
  const answered = new Set<string | null>()
  const fileIds = new Set(files.map(({ id }) => id))
  let last = 0
  for (const { id, parent_id, role, outcome, unix_timestamp, content } of messages) {
    if (roles.has(id)) throw new Error(`${id} is there twice`)
    if (parent_id !== null && !roles.has(parent_id)) throw new Error(`${id} comes before its parent`)
    roles.set(id, role)
    if (outcome !== undefined) answered.add(parent_id)
    if (unix_timestamp !== 0 && unix_timestamp <= last) throw new Error(`the time of ${id} does not rise`)
    last = Math.max(last, unix_timestamp)
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'file' && !fileIds.has(part.file.id)) throw new Error(`${part.file.id} is not listed`)
    }
  }
  for (const { id, call } of messages) {
    if (call !== undefined && !answered.has(id)) throw new Error(`${id} has no result`)
  }
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const { id, parent_id, outcome } of messages) {
    const parent = byId.get(parent_id ?? '')
    if (parent?.call !== undefined && outcome === undefined) throw new Error(`${id} follows a call`)
    if (outcome !== undefined && parent?.call === undefined) throw new Error(`${id} is a result of nothing`)
  }
  if (messages.length > 0 && !roles.has(selectedMessageId ?? ''))
    throw new Error('the open message is missing')
}
