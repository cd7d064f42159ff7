import type { FileBytes } from '../db/files/file-bytes.ts'
import { type ChatExport, formatVersion, type ExportedFile } from './export-format.ts'
import type { ReadExportedChat } from './read-exported-chat.ts'

/** Yields a value as JSON that a person can read. */
export async function* writeJson(value: unknown): AsyncGenerator<string> {
  yield `${toJson(value)}\n`
}

/** Yields a list as JSON, item by item. */
export async function* writeJsonList(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const item of items) {
    yield `${separator}${toJson(item)}`
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}

/** Yields the JSON of an `ExportedChat`, message by message. `files` are read after the messages. */
export async function* writeChatJson(
  { facts, messages }: ReadExportedChat,
  files: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield `${toJson(facts).slice(0, -2)},\n  "messages": `
  yield* writeJsonList(oneByOne(messages))
  yield `,\n  "files": `
  yield* files
  yield '}\n'
}

/** Yields the JSON of a `ChatExport`, with the bytes of its files unless `bytes` is null. */
export async function* writeChatExport(
  chat: ReadExportedChat,
  bytes: FileBytes | null,
): AsyncGenerator<string> {
  const head = { format: 'yonder-chat', format_version: formatVersion } satisfies Omit<ChatExport, 'chat'>
  yield `${toJson(head).slice(0, -2)},\n  "chat": `
  yield* writeChatJson(chat, writeFiles(chat.files, bytes))
  yield '}\n'
}

async function* writeFiles(
  files: readonly Omit<ExportedFile, 'path'>[],
  bytes: FileBytes | null,
): AsyncGenerator<string> {
  let separator = '['
  for (const file of files) {
    yield `${separator}\n${toJson({ ...file, path: null }).slice(0, -2)}`
    if (bytes !== null) yield* writeBase64(bytes.read(file.id))
    yield '\n}'
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Yields a field with bytes, unless there are none. Base64 has no characters that JSON escapes. */
async function* writeBase64(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let isBegun = false
  let rest = Buffer.alloc(0)
  for await (const part of source) {
    if (!isBegun) yield ',\n  "base64": "'
    isBegun = true
    const bytes = Buffer.concat([rest, part])
    // Three bytes are four characters.
    const end = bytes.length - (bytes.length % 3)
    yield bytes.toString('base64', 0, end)
    rest = bytes.subarray(end)
  }
  if (isBegun) yield `${rest.toString('base64')}"`
}

async function* oneByOne<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const page of pages) yield* page
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2)
