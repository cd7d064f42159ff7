import { truncate, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../lib/json-object.ts'
import { makeZip } from '../../testing/files/make-zip.ts'
import { emptyContext, readAll, writeExport, zipOf } from '../../testing/imports/export-files.ts'
import { type ImportSource, importSources } from '../imported-chat.ts'
import { FileSources } from './file-sources.ts'
import { formats, recognize } from './formats.ts'
import { openExport } from './open-export.ts'

const chatgptChat = (id: string) => ({
  id,
  title: `Title of ${id}`,
  mapping: {
    [`${id}-u`]: { message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } } },
  },
})

const claudeChat = (uuid: string) => ({
  uuid,
  name: `Title of ${uuid}`,
  chat_messages: [{ uuid: `${uuid}-u`, sender: 'human', text: 'Hi' }],
})

const idsOf = ({ chats }: Awaited<ReturnType<typeof readAll>>) => chats.map(({ sourceId }) => sourceId)

describe('finds the chats', () => {
  test('in shards of an archive, in order, besides other files', async () => {
    const read = await readAll({
      'export.zip': zipOf({
        'export/conversations-001.json': [chatgptChat('b')],
        'export/conversations-000.json': [chatgptChat('a')],
        'export/conversations-002.json': [],
        'export/user.json': { id: 'me' },
        'export/shared_conversations.json': [{ id: 's', conversation_id: 'a', title: 'x' }],
        'export/chat.html': '<html>',
        '__MACOSX/export/._conversations-000.json': 'junk',
      }),
    })
    expect([read.source, idsOf(read), read.problems]).toEqual(['chatgpt', ['a', 'b'], []])
    expect(read.bytes[0]).toBe(read.bytes[1])
    expect(read.bytes[0]).toBeGreaterThan(100)
  })

  test('in several archives and files of one product', async () => {
    const read = await readAll({
      'conversations-000.zip': zipOf({ 'conversations.json': [claudeChat('a')] }),
      'conversations-001.zip': zipOf({ 'conversations.json': [claudeChat('b')] }),
      'conversations.json': `\uFEFF${JSON.stringify([claudeChat('c')], null, 2)}`,
      'projects.json': [{ uuid: 'p', name: 'P' }],
      'users.json': [{ uuid: 'u', full_name: 'Ann' }],
    })
    expect([read.source, idsOf(read), read.problems]).toEqual(['claude', ['a', 'b', 'c'], []])
  })

  test('in files of any name, in wrappers, and in an archive of such files', async () => {
    expect(idsOf(await readAll({ 'x.txt': { conversations: [chatgptChat('a')] } }))).toEqual(['a'])
    expect(idsOf(await readAll({ 'one.json': chatgptChat('a') }))).toEqual(['a'])
    const read = await readAll({
      'mine.zip': zipOf({
        'a.json': chatgptChat('a'),
        'b.json': chatgptChat('b'),
        'settings.json': { dark: true },
        'c.txt': '',
      }),
    })
    expect(idsOf(read)).toEqual(['a', 'b'])
  })
})

describe('goes on', () => {
  test('after chats that cannot be read, and names them', async () => {
    const list = [
      '{"id":"broken","title":"Broken \\"one\\"","mapping":{x}}',
      JSON.stringify(chatgptChat('a')),
      '5',
      'null',
      `{"id":"empty","title":"Empty","mapping":{}}`,
      JSON.stringify(chatgptChat('b')),
      '{"id":"cut","title":"Cut","map',
    ]
    const read = await readAll({ 'conversations.json': `[${list.join(',')}` })
    expect(idsOf(read)).toEqual(['a', 'b'])
    expect(read.problems).toEqual([
      { sourceId: 'broken', title: 'Broken "one"', problem: 'It is damaged: it is not valid JSON.' },
      { sourceId: null, title: null, problem: 'It is no chat.' },
      { sourceId: null, title: null, problem: 'It is no chat.' },
      { sourceId: 'empty', title: 'Empty', problem: 'No messages in it.' },
      { sourceId: 'cut', title: 'Cut', problem: 'The file ends in the middle of it.' },
    ])
  })

  test('after a chat with a value that is nested too deeply', async () => {
    const deep = `{"uuid":"deep","name":"Deep","chat_messages":[{"sender":"assistant","content":[{"type":"tool_use","input":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}]}`
    const read = await readAll({ 'conversations.json': `[${deep},${JSON.stringify(claudeChat('a'))}]` })
    expect(idsOf(read)).toEqual(['a'])
    expect(read.problems).toMatchObject([{ problem: 'It has a form that Yonder does not know.' }])
  })

  test('through 10,000 empty chats', async () => {
    const empty = Array.from({ length: 10_000 }, (_, index) => ({ id: `${index}`, title: null, mapping: {} }))
    const read = await readAll({ 'conversations.json': [...empty, chatgptChat('a')] })
    expect([idsOf(read), read.problems.length]).toEqual([['a'], 10_000])
  })

  test('with the next file after an entry whose data is damaged', async () => {
    const zip = zipOf({
      'conversations-000.json': [chatgptChat('a'), { ...chatgptChat('x'), filling: randomText() }],
      'conversations-001.json': [chatgptChat('b')],
    })
    // In the middle of the data of the first entry.
    zip.fill(0xff, 20_000, 20_400)
    const read = await readAll({ 'export.zip': zip })
    expect(idsOf(read)).toEqual(['a', 'b'])
    expect(read.problems).toEqual([
      {
        sourceId: null,
        title: null,
        problem: 'conversations-000.json in export.zip is damaged. What follows in it could not be read.',
      },
    ])
  })
})

describe('refuses', () => {
  const expected =
    'Expected: the ZIP file of an export, or its conversations.json, or conversations-000.json and so on.'

  test.each([
    [
      'what is no export',
      { 'pictures.zip': zipOf({ 'cat.png': 'x', 'a.json': { b: 1 } }) },
      `pictures.zip holds no export that Yonder knows. ${expected}`,
    ],
    ['a page', { 'chat.html': '<html>[]' }, `chat.html holds no export that Yonder knows. ${expected}`],
    ['an empty file', { 'a.json': '' }, `a.json holds no export that Yonder knows. ${expected}`],
    [
      'an archive in an archive',
      { 'a.zip': zipOf({ 'b.zip': zipOf({ 'conversations.json': [chatgptChat('a')] }) }) },
      `a.zip holds no export that Yonder knows. ${expected}`,
    ],
    ['an empty archive', { 'a.zip': zipOf({}) }, `a.zip holds no export that Yonder knows. ${expected}`],
    [
      'a strange file beside an export',
      { 'conversations.json': [chatgptChat('a')], 'b.json': { c: 1 } },
      `b.json holds no export that Yonder knows. ${expected}`,
    ],
    [
      'several strange files',
      { 'a.json': '1', 'b.json': '2', 'c.json': '3', 'd.json': '4' },
      `a.json, b.json and 2 other files hold no export that Yonder knows. ${expected}`,
    ],
    [
      'an export without chats',
      { 'a.zip': zipOf({ 'conversations.json': [] }) },
      'conversations.json in a.zip holds no chats.',
    ],
    [
      'exports of two products',
      { 'a.json': [chatgptChat('a')], 'b.zip': zipOf({ 'conversations.json': [claudeChat('b')] }) },
      'These files come from different products: a.json from ChatGPT, conversations.json in b.zip from Claude. Import them one after the other.',
    ],
    [
      'a damaged archive',
      { 'a.zip': Buffer.from('PK\x03\x04 and nothing more') },
      'a.zip is damaged or incomplete. Download the export again.',
    ],
    [
      'an encrypted archive',
      { 'a.zip': makeZip([{ name: 'conversations.json', data: '[]', isEncrypted: true }]) },
      'a.zip is protected by a password. Unpack it, and import the files that it contains.',
    ],
    [
      'a path out of the archive',
      { 'a.zip': zipOf({ '../conversations.json': [chatgptChat('a')] }) },
      'a.zip has a file whose path leads out of the archive, as in an attack. It was not opened.',
    ],
    [
      'an absolute path',
      { 'a.zip': zipOf({ '/etc/conversations.json': [] }) },
      'a.zip has a file whose path leads out of the archive, as in an attack. It was not opened.',
    ],
    [
      'a bomb',
      {
        'a.zip': makeZip(
          ['0', '1'].map((shard) => ({
            name: `conversations-${shard}.json`,
            data: '[]',
            declaredSize: 2 ** 31 + 1,
          })),
        ),
      },
      'The chats of a.zip are larger than 4 GB. Import fewer files at once.',
    ],
  ])('%s', async (_name, files, message) => {
    await expect(readAll(files)).rejects.toMatchObject({ name: 'AppError', code: 'invalid_request', message })
  })

  test('an archive that was cut', async () => {
    const files = await writeExport({ 'a.zip': zipOf({ 'conversations.json': [chatgptChat('a')] }) })
    await truncate(files[0]!.path, 100)
    await expect(openExport(files)).rejects.toThrow(
      'a.zip is damaged or incomplete. Download the export again.',
    )
  })

  test('data beyond the size that the archive says', async () => {
    const data = JSON.stringify([
      chatgptChat('a'),
      ...Array.from({ length: 5_000 }, (_, index) => chatgptChat(`${index}`)),
    ])
    const { problems, bytes } = await readAll({
      'a.zip': makeZip([{ name: 'conversations.json', data, declaredSize: 70_000 }]),
    })
    expect(problems).toMatchObject([
      { problem: 'conversations.json in a.zip is damaged. What follows in it could not be read.' },
    ])
    expect(bytes[0]).toBeLessThanOrEqual(70_000)
  })
})

test('reads no lists of names that unpack to any size', async () => {
  const data = JSON.stringify([{ uuid: 'p1', name: 'House' }])
  const chat = JSON.stringify([{ ...claudeChat('a'), project: { uuid: 'p1' } }])
  const readWith = async (declaredSize: number) => {
    const list = { name: 'projects.json', data, declaredSize }
    return readAll({ 'a.zip': makeZip([list, { name: 'conversations.json', data: chat }]) })
  }
  expect((await readWith(2 ** 30)).chats).toMatchObject([{ project: 'House' }])
  expect((await readWith(2 ** 30 + 1)).chats).toMatchObject([{ project: null }])
})

test('reports a chat of too many messages', () => {
  const list = Array.from({ length: 200_001 }, () => ({}))
  const byId = Object.fromEntries(list.map((message, index) => [`m${index}`, message]))
  const chats: Readonly<Record<ImportSource, JsonObject>> = {
    chatgpt: { id: 'x', mapping: byId },
    claude: { uuid: 'x', chat_messages: list },
    librechat: { conversationId: 'x', messages: list },
    'open-webui': { id: 'x', chat: { history: { messages: byId } } },
    yonder: { id: 'x', selected_message_id: null, messages: list },
  }
  for (const source of importSources) {
    expect(recognize(chats[source])).toBe(source)
    expect(formats[source].read(chats[source], emptyContext)).toMatchObject({
      sourceId: 'x',
      problem: 'It has more than 200,000 messages.',
    })
  }
})

test('reads the bytes of files where chats say they are', async () => {
  const files = await writeExport({ 'a.json': '[]', 'b.zip': zipOf({ 'files/f1': 'bytes' }) })
  const sources = new FileSources(files)
  const read = async (source: Parameters<FileSources['open']>[0]) => {
    const { size, bytes } = await sources.open(source)
    return [size, await text(bytes)]
  }
  expect(await read({ archive: 1, entry: 'files/f1' })).toEqual([5, 'bytes'])
  expect(await read({ text: 'é' })).toEqual([2, 'é'])
  expect(await read({ base64: 'cG5n' })).toEqual([3, 'png'])
  await expect(read({ archive: 1, entry: '../f1' })).rejects.toThrow('The export has no file ../f1.')
  await expect(read({ archive: 7, entry: 'f1' })).rejects.toThrow('The export has no file f1.')
  sources.close()
  await writeFile(files[1]!.path, '')
})

/** A text that cannot be packed well. */
function randomText(): string {
  let state = 1
  return Array.from({ length: 60_000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return (state % 36).toString(36)
  }).join('')
}
