import { maxTitleLength } from '@yonder/contract/lib/chat-limits'
import { maxProjectNameChars } from '@yonder/contract/lib/project-limits'
import type { Message } from '@yonder/contract/message'
import type { ToolOutcome } from '@yonder/contract/tool-call'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendMessage, toContentColumns, updateMessage, type MessageChange } from '../chats/message-store.ts'
import type { ExportedBot, ExportedChat, ExportedProject, ExportManifest } from '../export/export-format.ts'
import { toFileRef } from '../files/store-file.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addChat, addCompaction, newMessage, type NewPathMessage } from '../testing/factories/chats.ts'
import { addFile } from '../testing/factories/files.ts'
import { type ReadZip, readZip, sha256 } from '../testing/files/read-zip.ts'
import { makePng } from '../testing/files/upload-file.ts'
import { endOfImport, importFiles } from '../testing/imports/send-import.ts'

const time = Date.parse('2026-03-01T12:00:00.000Z')

describe.each(engines)('what a user exports and another imports, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine, environment: { SELF_SERVICE: 'on' } })
    ada = await product.join('Ada')
    await addChats(product, ada)
  })
  afterAll(() => product.close())

  /** The bytes of the export that a user makes and downloads, as a page does. */
  async function exportAll(user: ChatClient): Promise<Buffer> {
    const { id } = (await user.post('/api/exports')).json<{ id: string }>()
    const exported = async () =>
      (await user.get('/api/transfers')).json<{ export: { state: string } }>().export.state
    await expect.poll(exported).toBe('done')
    const { url } = (await user.post(`/api/exports/${id}/link`)).json<{ url: string }>()
    const { rawPayload } = await product.app.inject({
      url: url.replace(/^https?:\/\/[^/]+/, ''),
      headers: { host: 'localhost:3000' },
    })
    return rawPayload
  }

  it('is the same in the export of the other, but for ids', { timeout: 120_000 }, async () => {
    const first = await exportAll(ada)
    const eve = await product.join('Eve')
    const { preview, done } = await importFiles(product.base, eve, { 'yonder.zip': first })
    expect(preview.preview).toMatchObject({ source: 'yonder', new_chats: 4, unreadable_chats: 0, files: 2 })
    expect(done.result).toMatchObject({ new_chats: 4, skipped_chats: 0, files: 2, missing_files: 0 })
    const second = await exportAll(eve)

    const [before, after] = [await readZip(first), await readZip(second)]
    expect(describeExport(after)).toEqual(describeExport(before))
    // The other way round, everything is here already.
    for (const [user, zip] of [
      [ada, second],
      [ada, first],
      [eve, first],
      [eve, second],
    ] as const) {
      const again = await importFiles(product.base, user, { 'yonder.zip': zip })
      expect(again.done.result).toMatchObject({ new_chats: 0, changed_chats: 0, skipped_chats: 0 })
    }
    expect(describeExport(await readZip(await exportAll(ada)))).toEqual(describeExport(before))
    expect((await endOfImport(ada)).state).toBe('done')
  })
})

/** Everything of the chats of an export, without the ids that an import makes and what it marks as its own. */
function describeExport(zip: ReadZip) {
  const chats = zip.chats.map(({ id }) => zip.jsonOf(`chats/${id}.json`) as ExportedChat)
  const projects = zip.jsonOf('projects.json') as readonly ExportedProject[]
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const { counts } = zip.jsonOf('manifest.json') as ExportManifest
  const bots = zip.jsonOf('bots.json') as readonly ExportedBot[]
  return {
    counts,
    projects: projects.map(({ id: _, ...project }) => project),
    bots: bots.map(({ created_at: _, has_api_key: _key, ...bot }) => bot),
    chats: chats
      .map((chat) => describeChat(zip, chat, names))
      .toSorted((a, b) => a.created_time.localeCompare(b.created_time)),
  }
}

function describeChat(zip: ReadZip, chat: ExportedChat, projects: ReadonlyMap<string, string>) {
  const {
    id: _id,
    source: _source,
    bot: _bot,
    project_id,
    messages,
    files,
    compactions = [],
    ...facts
  } = chat
  const hashes = new Map(files.map(({ id, path }) => [id, path === null ? '' : sha256(zip.bytesOf(path))]))
  // Also in the results of tools, which name them.
  const withHashes = <Value>(value: Value): Value =>
    JSON.parse(
      [...hashes].reduce(
        (text, [id, hash]) => text.replaceAll(JSON.stringify(id), JSON.stringify(hash)),
        JSON.stringify(value),
      ),
    ) as Value
  return {
    ...facts,
    project: project_id === undefined ? null : projects.get(project_id),
    messages: withHashes(messages).map(withoutMarks),
    files: files
      .map(({ path: _path, ...file }) => withHashes(file))
      .toSorted((a, b) => a.id.localeCompare(b.id)),
    compactions: compactions.map(({ id: _, ...compaction }) => compaction),
  }
}

/** A call that was imported says so, and so do the connectors of the tools that a reply has left out. */
function withoutMarks({ call, left_out_tools, ...message }: Message): unknown {
  const { imported: _, ...unmarked } = call ?? { imported: true }
  return {
    ...message,
    ...(call !== undefined && { call: unmarked }),
    ...(left_out_tools !== undefined && {
      left_out_tools: {
        ...left_out_tools,
        connectors: left_out_tools.connectors.map(({ connector_id: _id, ...one }) => one),
      },
    }),
  }
}

/** Stores chats with everything that a chat can have. */
async function addChats({ database }: ChatApp, client: ChatClient): Promise<void> {
  const { db } = database
  const { user } = client
  let now = time
  const owner = { user_id: user.id, updated_at: time + 500_000 }
  const append = async (
    chat_id: string,
    parent: Awaited<ReturnType<typeof appendMessage>> | null,
    { id = '', role = 'user', ...fields }: NewPathMessage,
  ) => {
    now += 1_000
    const { outcome, ...change } = fields
    const inserted = newMessage({ chat_id, id, role, ...(outcome !== undefined && { outcome }) })
    const row = await appendMessage(db, inserted, parent, now)
    await updateMessage(db, chat_id, row.id, { status: 'complete', ...change } satisfies MessageChange)
    return row
  }
  const reply = (id: string, content: string, fields: NewPathMessage = {}): NewPathMessage => ({
    id,
    role: 'assistant',
    content,
    model: 'gpt-x',
    provider: 'A provider',
    ...fields,
  })

  const bot = {
    name: 'Captain',
    model: 'm',
    instructions: 'Be brief.',
    api_key: 'a key',
    temperature: 0.5,
    connectors: [],
  }
  await client.post('/api/bot', bot)
  const project = await client.post('/api/project', {
    name: 'Boats '.padEnd(maxProjectNameChars, '~'),
    instructions: 'Name the sea.',
    bot: 'Captain',
  })
  const { id: project_id } = project.json<{ id: string }>()
  // Branches, thoughts, replies that failed or were stopped, a summary; the title is of the user.
  await addChat(db, {
    ...owner,
    id: 'branches',
    created_at: time + 1,
    title: 'My own title '.padEnd(maxTitleLength, '~'),
    title_key: 'my own title '.padEnd(maxTitleLength, '~'),
    title_source: 'user',
    pinned: 1,
    project_id,
    selected_message_id: 'u2',
  })
  const u1 = await append('branches', null, {
    id: 'u1',
    content: 'Question with \u{1F6A2} and\n\n```js\n1\n```',
  })
  const a1 = await append(
    'branches',
    u1,
    reply('a1', 'Answer', {
      reasoning: 'A thought.',
      usage: JSON.stringify({ input_tokens: 5, output_tokens: 7, cached_tokens: 1, reasoning_tokens: null }),
      finish: 'length',
      notice: 'A notice.',
      selected_at: time + 400_000,
    }),
  )
  await append(
    'branches',
    u1,
    reply('a1b', 'Half of an ans', {
      status: 'failed',
      error_code: 'upstream_error',
      error_message: 'The provider is down.',
    }),
  )
  await append('branches', u1, reply('a1c', 'Stopped her', { status: 'stopped' }))
  await append('branches', u1, reply('a1d', '', { status: 'interrupted', reasoning: 'Only a thought.' }))
  const left = {
    max_tools: 128,
    offered: 128,
    total: 130,
    connectors: [{ connector_id: 'x', server: 'Mail', count: 2, tools: ['send'] }],
  }
  await append('branches', a1, { id: 'u2', content: 'More' })
  const u2b = await append('branches', a1, { id: 'u2b', content: 'More, in other words' })
  await append('branches', u2b, reply('a2', 'More of it', { left_out_tools: JSON.stringify(left) }))
  // A second beginning.
  const other = await append('branches', null, { id: 'u1b', content: 'Another beginning' })
  await append('branches', other, reply('a3', 'Yes'))
  await addCompaction(db, {
    chat_id: 'branches',
    message_id: 'a1',
    content: 'What was said.',
    edited: 1,
    written_at: time + 300_000,
  })

  // Tool calls: one that was answered with a picture, a batch, one that was denied; the title is of a model.
  await addChat(db, {
    ...owner,
    id: 'tools',
    created_at: time + 2,
    title: 'A title of a model',
    title_key: 'a title of a model',
    title_source: 'model',
    archived: 1,
    selected_message_id: 't8',
  })
  const [picture, text] = [makePng(8, 8), Buffer.from('A text')]
  const cat = await addFile(
    database,
    { userId: user.id },
    { id: 'f1', hash: sha256(picture), size: picture.length, width: 8, height: 8 },
    picture,
  )
  const note = await addFile(
    database,
    { userId: user.id },
    { id: 'f2', hash: sha256(text), name: 'note.txt', type: 'text/plain', size: text.length },
    text,
  )
  const link = (chat_id: string, message_id: string, ...ids: readonly string[]) =>
    db
      .insertInto('message_files')
      .values(ids.map((file_id) => ({ file_id, chat_id, message_id })))
      .execute()
  const call = (id: string, fields: NewPathMessage = {}) =>
    reply(id, '', {
      server: 'Web',
      tool: 'search',
      arguments: '{"q":"boats"}',
      call_state: 'answered',
      call: JSON.stringify({ id, name: 'web__search', title: 'Search', rest: [] }),
      ...fields,
    })
  const result = (id: string, outcome: ToolOutcome, fields: NewPathMessage = {}): NewPathMessage => ({
    id,
    content: 'Found it.',
    server: 'Web',
    tool: 'search',
    outcome: JSON.stringify(outcome),
    ...fields,
  })
  const t1 = await append('tools', null, {
    id: 't1',
    ...toContentColumns([
      { type: 'text', text: 'Look at these' },
      { type: 'file', file: { ...toFileRef(cat), alt: 'A cat' } },
      { type: 'file', file: toFileRef(note, 'renamed.txt') },
    ]),
  })
  await link('tools', 't1', 'f1', 'f2')
  const t2 = await append('tools', t1, call('t2', { content: 'I search.', reasoning: 'I could search.' }))
  const done: ToolOutcome = {
    status: 'done',
    duration: 12,
    parts: [
      { type: 'text', text: 'Found it.' },
      { type: 'image', file: 'f1', width: 8, height: 8 },
      { type: 'json', text: '{}' },
      { type: 'link', uri: 'https://example.com/', name: 'Example' },
      { type: 'note', text: 'Something was left out.' },
    ],
  }
  const t3 = await append(
    'tools',
    t2,
    result(
      't3',
      done,
      toContentColumns([
        { type: 'text', text: 'Found it.' },
        { type: 'file', file: toFileRef(cat) },
      ]),
    ),
  )
  await link('tools', 't3', 'f1')
  const batch = { id: 'b1', name: 'web__search', total: 2, rest: [{ id: 'b2', name: 'x', arguments: '{}' }] }
  const t4 = await append('tools', t3, call('t4', { call: JSON.stringify(batch) }))
  const t5 = await append('tools', t4, result('t5', { status: 'tool_error', duration: null, parts: [] }))
  const second = {
    id: 'b2',
    name: 'web__search',
    continues: true,
    total: 2,
    rest: [],
    edited: '{"query":"boats"}',
    deniedBy: 't7',
    decision: { kind: 'denied', at: time, on: 'Chrome on Android', reason: 'Do not.' },
  }
  const t6 = await append('tools', t5, call('t6', { call: JSON.stringify(second), call_state: 'denied' }))
  const t7 = await append('tools', t6, { id: 't7', content: 'Do not.' })
  await append('tools', t7, reply('t8', 'So be it.'))

  // A chat with its default title, and one that was imported before.
  await addChat(db, {
    ...owner,
    id: 'plain',
    created_at: time + 3,
    title: 'The beginning of the message',
    title_key: 'the beginning of the message',
    selected_message_id: 'q2',
  })
  const q1 = await append('plain', null, { id: 'q1', content: 'The beginning of the message' })
  await append(
    'plain',
    q1,
    reply('q2', '', { status: 'failed', error_code: 'internal', error_message: 'No.' }),
  )
  await addChat(db, {
    ...owner,
    id: 'imported',
    created_at: time + 4,
    title: 'From elsewhere',
    title_key: 'from elsewhere',
    title_source: 'model',
    source: 'chatgpt',
    source_id: 'there',
    selected_message_id: 'w2',
  })
  const w1 = await append('imported', null, { id: 'w1', content: 'Hello' })
  const w2 = await append(
    'imported',
    w1,
    call('w2', { call: JSON.stringify({ id: 'w2', name: 's', imported: true, rest: [] }) }),
  )
  await append('imported', w2, result('w2-result', { status: 'interrupted', duration: null, parts: [] }))
  await append('imported', w1, reply('w3', 'Hi', { bot: 'A bot that was deleted' }))
}
