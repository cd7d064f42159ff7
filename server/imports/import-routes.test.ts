import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import type { Chat } from '@yonder/contract/chat'
import type { Transfer, Transfers } from '@yonder/contract/transfer'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { removeUnused } from '../files/remove-unused.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import { engines } from '../testing/database/test-database.ts'
import { makePng } from '../testing/files/upload-file.ts'
import { exportedChat, exportedMessage, makeExport } from '../testing/imports/make-export.ts'
import { endOfImport, importFiles, sendImportFile, uploadImport } from '../testing/imports/send-import.ts'

const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 9 }
const withFile = (number: number, ref = file, path: string | null = `files/${ref.id}/${ref.name}`) =>
  exportedChat(number, {
    messages: [
      exportedMessage('u1', null, {
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', file: ref },
        ],
      }),
      exportedMessage('a1', 'u1', { role: 'assistant', content: 'A cat' }),
    ],
    files: [{ ...ref, path }],
  })

describe.each(engines)('an import, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({
      engine,
      environment: { IMPORT_MAX_MB: '5', MAX_FILE_MB: '1', MAX_USER_FILES_MB: '1' },
    })
    ada = await product.join('Ada')
  })
  afterAll(async () => {
    await product.close()
    // What was copied out of a database is gone.
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`yonder-import-${process.pid}-`))).toEqual(
      [],
    )
  })
  beforeEach(async () => {
    for (const table of ['chats', 'user_files', 'projects', 'transfers', 'unused_bytes'] as const)
      await product.database.db.deleteFrom(table).execute()
  })

  const importAs = (files: Readonly<Record<string, Buffer>>, options = {}, user = ada) =>
    importFiles(product.base, user, files, options)
  const begin = (files: readonly { readonly name: string; readonly size: number }[], user = ada) =>
    user.post('/api/imports', { files })
  const listIds = async () =>
    (await product.database.db.selectFrom('chats').select('id').orderBy('created_at').execute()).map(
      ({ id }) => id,
    )
  const onlyChat = async (): Promise<Chat> => ada.readChat((await listIds())[0] ?? '')
  const countBytes = async () =>
    (await product.database.db.selectFrom('unused_bytes').selectAll().execute()).length

  it('is previewed, then stored with its bot and its project, and adds nothing the second time', async () => {
    const zip = makeExport([exportedChat(1), exportedChat(2), exportedChat(3, { messages: [] })])
    const { preview, done } = await importAs({ 'my export.zip': zip }, { project: true })
    expect(preview).toMatchObject({
      state: 'ready',
      files: [{ name: 'my export.zip', size: zip.length, uploaded: true }],
      preview: {
        source: 'yonder',
        new_chats: 2,
        known_chats: 0,
        unreadable_chats: 1,
        unreadable: [{ title: 'Question 3', problem: 'No messages in it.' }],
        first_time: '2025-03-01T12:01:00.000Z',
        last_time: '2025-03-01T12:02:00.001Z',
      },
    })
    expect(done).toMatchObject({
      state: 'done',
      done: 3,
      total: 3,
      result: { new_chats: 2, known_chats: 0, changed_chats: 0, skipped_chats: 1 },
    })
    const [first = ''] = await listIds()
    expect(await ada.readChat(first)).toMatchObject({
      title: 'Question 1',
      update_time: '2025-03-01T12:01:00.001Z',
      selected_message_id: 'a1',
      bot: 'Helper',
      project_id: done.result?.project_id,
    })
    expect((await ada.get('/api/projects')).json()).toMatchObject([{ name: 'Yonder' }])
    const again = await importAs({ 'my export.zip': zip })
    expect(again.preview.preview).toMatchObject({ new_chats: 0, known_chats: 2, changed_chats: 0 })
    expect(again.done.result).toMatchObject({ new_chats: 0, known_chats: 2, changed_chats: 0 })
    expect(await listIds()).toHaveLength(2)
  })

  it('goes on after its chats were imported: the model is not given their calls', async () => {
    const call = { server: 'Web', tool: 'search', arguments: '{}', call: { state: 'answered' } }
    const messages = [
      exportedMessage('u1', null),
      exportedMessage('a1', 'u1', { role: 'assistant', content: '', ...call }),
      exportedMessage('r1', 'a1', {
        server: 'Web',
        tool: 'search',
        outcome: { status: 'done', duration: null, parts: [] },
      }),
      exportedMessage('a2', 'r1', { role: 'assistant' }),
    ]
    await importAs({ 'a.zip': makeExport([exportedChat(1, { messages, selected_message_id: 'a2' })]) })
    const chat = await onlyChat()
    expect(chat.messages[1]?.call).toEqual({ state: 'answered', imported: true })
    await (
      await ada.send(chat.id, 'And now?')
    ).ended
    const sent = product.model.requests.at(-1)?.body['messages'] as { role: string; content: unknown }[]
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(sent)).not.toContain('search')
    const confirm = {
      botName: 'Helper',
      server: 'Web',
      tool: 'search',
      args: {},
      chatId: chat.id,
      messageId: 'a1',
    }
    expect((await ada.post('/api/tool/confirm', confirm)).statusCode).toBe(409)
  })

  it('stores files, and fills in later those that the first export lacked', async () => {
    const png = makePng(8, 8)
    const lacking = await importAs({ 'a.zip': makeExport([withFile(1, file, null)]) })
    expect(lacking.preview.preview).toMatchObject({ files: 0, missing_files: 1 })
    expect(lacking.done.result).toMatchObject({ files: 0, missing_files: 1 })
    const [named] = (await onlyChat()).messages
    expect(named?.content).toMatchObject([{ text: 'Look' }, { file: { name: 'cat.png', type: 'image/png' } }])

    const full = { 'b.zip': makeExport([withFile(1)], { 'files/f1/cat.png': png }) }
    const filled = await importAs(full)
    expect(filled.preview.preview).toMatchObject({
      known_chats: 1,
      changed_chats: 1,
      files: 1,
      file_bytes: png.length,
      missing_files: 0,
    })
    expect(filled.done.result).toMatchObject({ changed_chats: 1, files: 1, missing_files: 0 })
    const { messages } = await onlyChat()
    const content = messages[0]?.content
    const id = typeof content === 'string' ? '' : content?.[1]?.type === 'file' ? content[1].file.id : ''
    expect((await ada.get(`/api/files/${id}`)).statusCode).toBe(200)
    expect((await importAs(full)).done.result).toMatchObject({ known_chats: 1, files: 1 })
    // It is not deleted with the files that were never sent.
    const day = 86_400_000
    await removeUnused({ database: product.database, now: () => Date.now() + 40 * day })
    expect((await ada.get(`/api/files/${id}`)).statusCode).toBe(200)
  })

  it('goes on when the quota is reached or the archive lacks a file, whose names stay', async () => {
    const { db } = product.database
    const [large, small] = [makePng(1_000, 900), makePng(1_000, 300, 'b')]
    const other = { ...file, id: 'f2' }
    const chats = [withFile(1), withFile(2, other), withFile(3, { ...file, id: 'f3' })]
    const zip = makeExport(chats, { 'files/f1/cat.png': large, 'files/f2/cat.png': small })
    const { done } = await importAs({ 'a.zip': zip })
    expect(done.result).toMatchObject({ new_chats: 3, files: 1, missing_files: 2, skipped_chats: 0 })
    expect(await db.selectFrom('user_files').select('size').execute()).toHaveLength(1)
    expect(await countBytes()).toBe(1)
  })

  it('refuses files that are too many bytes, and those of another size', async () => {
    const large = await begin([
      { name: 'a.zip', size: 4_900_000 },
      { name: 'b.zip', size: 600_000 },
    ])
    expect(large.statusCode).toBe(413)
    expect(large.json()).toEqual({
      error: {
        code: 'payload_too_large',
        message: 'The files have 5.5 MB, and 5 MB is the most that one import can have here.',
      },
    })
    const { id } = (await begin([{ name: 'a.zip', size: 10 }])).json<Transfer>()
    for (const length of [9, 11]) {
      const response = await sendImportFile(product.base, ada, { id }, Buffer.alloc(length))
      expect(response.statusCode).toBe(400)
      expect(response.body).toContain('a.zip')
    }
    const unknown = await sendImportFile(product.base, ada, { id, number: 1 }, Buffer.alloc(10))
    expect(unknown.statusCode).toBe(404)
    expect((await ada.put(`/api/imports/${id}/files/0`, {})).statusCode).toBe(415)
    expect(await countBytes()).toBe(0)
  })

  it('keeps nothing of an upload that was cut', async () => {
    const { id } = (await begin([{ name: 'a.zip', size: 500_000 }])).json<Transfer>()
    const cut = request(`${product.base}/api/imports/${id}/files/0`, {
      method: 'PUT',
      headers: { ...ada.headers, 'content-type': 'application/octet-stream', 'content-length': '500000' },
    })
    cut.on('error', () => undefined)
    cut.write(Buffer.alloc(300_000))
    await expect.poll(countBytes).toBe(1)
    cut.destroy()
    await expect.poll(countBytes).toBe(0)
    expect((await ada.get('/api/transfers')).json<Transfers>().import).toMatchObject({
      state: 'uploading',
      files: [{ uploaded: false }],
    })
  })

  it('lets one win of two uploads, starts and imports at once', async () => {
    const zip = makeExport([exportedChat(1)])
    const { id } = (await begin([{ name: 'a.zip', size: zip.length }])).json<Transfer>()
    const both = <Result>(act: () => Promise<Result>) => Promise.all([act(), act()])
    const sent = await both(() => sendImportFile(product.base, ada, { id }, zip))
    expect(sent.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    await endOfImport(ada)
    const started = await both(() => ada.post(`/api/imports/${id}/start`, { bot: 'Helper' }))
    expect(started.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    await endOfImport(ada)
    expect(await listIds()).toHaveLength(1)
    // What was done cannot be done again, nor with an unknown bot.
    expect((await ada.post(`/api/imports/${id}/start`, { bot: 'Helper' })).statusCode).toBe(409)
    expect((await ada.post(`/api/imports/${id}/start`, { bot: 'Nobody' })).statusCode).toBe(404)
  })

  it('fails with a sentence when there is nothing to import', async () => {
    for (const [bytes, sentence] of [
      [Buffer.from('no export'), 'no export that Yonder knows'],
      [makeExport([exportedChat(1, { messages: [] })]), 'Nothing could be imported.'],
      [makeExport([exportedChat(1)]).subarray(0, 200), 'damaged'],
    ] as const) {
      await uploadImport(product.base, ada, { 'holiday.zip': bytes })
      const end = await endOfImport(ada)
      expect(end).toMatchObject({ state: 'failed', error: expect.stringContaining(sentence) as string })
    }
  })

  it('reports 10,000 empty chats beside one that can be read', async () => {
    const empty = Array.from({ length: 10_000 }, (_, number) => exportedChat(number, { messages: [] }))
    const bytes = Buffer.from(JSON.stringify([...empty, exportedChat(10_001)]))
    const { preview, done } = await importAs({ 'a.json': bytes })
    expect(preview.preview).toMatchObject({ new_chats: 1, unreadable_chats: 10_000 })
    expect(preview.preview?.unreadable).toHaveLength(1_000)
    expect(done.result).toMatchObject({ new_chats: 1, skipped_chats: 10_000 })
    expect(done.result?.skipped).toHaveLength(1_000)
  })

  it('names the chats of a report briefly and visibly, whatever they are called', async () => {
    const title = `\u202eBoats ${'x'.repeat(20_000)}`
    const bad = Array.from({ length: 100 }, (_, number) => exportedChat(number, { title, messages: [] }))
    const bytes = Buffer.from(JSON.stringify([...bad, exportedChat(101)]))
    const { preview, done } = await importAs({ 'a.json': bytes })
    for (const list of [preview.preview?.unreadable, done.result?.skipped]) {
      expect(list).toHaveLength(100)
      expect(list?.[0]?.title).toMatch(/^Boats x{193}…$/)
    }
  })

  it('keeps what is in when it is cancelled, and tells how much', async () => {
    const chats = Array.from({ length: 2_000 }, (_, number) => exportedChat(number))
    await uploadImport(product.base, ada, { 'a.json': Buffer.from(JSON.stringify(chats)) })
    const { id, state, error } = await endOfImport(ada)
    expect(state, error).toBe('ready')
    await ada.post(`/api/imports/${id}/start`, { bot: 'Helper' })
    await expect.poll(async () => (await listIds()).length, { interval: 5 }).toBeGreaterThan(0)
    expect((await ada.post(`/api/imports/${id}/cancel`)).statusCode).toBe(204)
    const cancelled = async () => (await ada.get('/api/transfers')).json<Transfers>().import
    await expect.poll(async () => (await cancelled())?.result?.new_chats ?? 0).toBeGreaterThan(0)
    const stored = (await listIds()).length
    expect(stored).toBeLessThan(2_000)
    expect(await cancelled()).toMatchObject({ state: 'cancelled', result: { new_chats: stored } })
  })

  it('tells open pages once about many chats', async () => {
    const stream = await openLiveStream(product.base, ada.headers)
    const chats = Array.from({ length: 60 }, (_, number) => exportedChat(number))
    await importAs({ 'a.json': Buffer.from(JSON.stringify(chats)) }, { project: true })
    const changed = (list: string) =>
      stream.events().filter((event) => event.type === 'changed' && event.what === list).length
    await expect.poll(() => changed('projects')).toBe(1)
    await expect.poll(() => stream.listed().length + changed('chats')).toBeGreaterThan(0)
    expect(stream.events().length + stream.listed().length).toBeLessThan(20)
    stream.leave()
  })

  it('goes on when its bot was deleted meanwhile', async () => {
    await ada.post('/api/bot', { name: 'Short', model: 'scripted' })
    await uploadImport(product.base, ada, { 'a.zip': makeExport([exportedChat(1)]) })
    const { id } = await endOfImport(ada)
    await Promise.all([ada.post(`/api/imports/${id}/start`, { bot: 'Short' }), ada.delete('/api/bot/Short')])
    await endOfImport(ada)
    if ((await listIds()).length > 0) expect(await onlyChat()).not.toHaveProperty('bot')
  })
})
