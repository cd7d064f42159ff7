import type { ErrorBody } from '@yonder/contract/error'
import type { Transfer, Transfers } from '@yonder/contract/transfer'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { appendMessage, updateMessage } from '../chats/message-store.ts'
import { createUserData, userDataEnvironment, type UserData } from '../testing/chat/create-user-data.ts'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { openToolApp, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { addPath, newMessage } from '../testing/factories/chats.ts'
import { addFile } from '../testing/factories/files.ts'
import { readZip } from '../testing/files/read-zip.ts'
import { statusAndBody } from '../testing/send-request.ts'
import { insertTransfer } from '../transfers/transfer-store.ts'
import { ChatExport, type ExportedChat } from './export-format.ts'

const host = { host: 'localhost:3000' }

describe.each(engines)('exports on %s', (engine) => {
  let product: ToolApp
  let ada: UserData
  let eve: UserData
  let passedMs = 0
  beforeAll(async () => {
    product = await openToolApp({
      engine,
      environment: userDataEnvironment,
      deps: { now: () => Date.now() + passedMs },
    })
    ada = await createUserData(product, 'Ada')
    eve = await createUserData(product, 'Eve')
  })
  afterAll(() => product.close())

  const read = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    product.app.inject({ url: url.replace('http://localhost:3000', ''), headers: { ...host, ...headers } })
  const readExport = async (client: ChatClient) =>
    (await client.get('/api/transfers')).json<Transfers>().export
  const finish = (client: ChatClient) =>
    vi.waitFor(async () => {
      const transfer = await readExport(client)
      if (transfer?.state !== 'done') throw new Error(`it is ${transfer?.state}: ${transfer?.error}`)
      return transfer
    })
  const makeExport = async (client: ChatClient): Promise<Transfer> => {
    expect((await client.post('/api/exports')).statusCode).toBe(201)
    return finish(client)
  }
  const linkOf = async (client: ChatClient, id: string) =>
    (await client.post(`/api/exports/${id}/link`)).json<{ url: string }>().url

  it('has everything of a user in a ZIP that its link sends', async () => {
    const started = await ada.client.post('/api/exports')
    expect(started.json()).toMatchObject({ state: 'running', files: [], done: 0 })
    const { id, files, done, total } = await finish(ada.client)
    const [file] = files
    expect([done, total]).toEqual([6, 6])
    const url = await linkOf(ada.client, id)
    expect(url).toMatch(new RegExp(`^http://localhost:3000/api/exports/${id}/file\\?ticket=v2\\.[\\w-]+$`))
    const sent = await read(url)
    expect(sent.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(file?.size),
      'content-disposition': `attachment; filename*=UTF-8''${file?.name}`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
    })
    const zip = await readZip(sent.rawPayload)
    expect(zip.chats).toHaveLength(6)
    // The reply that is being written.
    expect(zip.jsonOf(`chats/${ada.runningChat}.json`)).toMatchObject({
      messages: [{}, { status: 'streaming', content: ada.secret }],
    })
    expect(zip.paths.map((path) => zip.bytesOf(path).toString()).join()).not.toContain(eve.secret)

    const part = await read(url, { range: 'bytes=2-5' })
    expect(part.statusCode).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 2-5/${file?.size}`)
    expect(part.rawPayload).toEqual(sent.rawPayload.subarray(2, 6))
  })

  it('refuses a link that is wrong, expired, or of another export, and deletes the export after a day', async () => {
    const [{ id }, theirs] = [await makeExport(ada.client), await makeExport(eve.client)]
    const url = await linkOf(ada.client, id)
    const ticket = url.split('ticket=')[1] ?? ''
    const unknown = statusAndBody(await read('/api/exports/never/file?ticket=v2.x'))
    expect(unknown.status).toBe(404)
    for (const address of [
      `/api/exports/${id}/file`,
      `/api/exports/${id}/file?ticket=`,
      `/api/exports/${id}/file?ticket=${ticket.slice(0, -2)}`,
      `/api/exports/${id}/file?ticket=${ticket.split('.')[1]}`,
      `/api/exports/${theirs.id}/file?ticket=${ticket}`,
    ])
      expect(statusAndBody(await read(address)), address).toEqual(unknown)
    expect((await eve.client.post(`/api/exports/${id}/link`)).statusCode).toBe(404)
    // A token does not replace the ticket.
    expect(statusAndBody(await read(`/api/exports/${id}/file`, ada.client.headers))).toEqual(unknown)

    passedMs = 3_599_000
    expect((await read(url)).statusCode).toBe(200)
    passedMs = 3_601_000
    expect(statusAndBody(await read(url))).toEqual(unknown)
    passedMs = 24 * 3_600_000 + 1_000
    expect((await ada.client.post(`/api/exports/${id}/link`)).statusCode).toBe(404)
    expect(await readExport(ada.client)).toBeNull()
    passedMs = 0
  })

  it('refuses the link of a user who was disabled', async () => {
    const grace = await product.join('Grace')
    const { id } = await makeExport(grace)
    const url = await linkOf(grace, id)
    expect((await read(url)).statusCode).toBe(200)
    await product.database.db
      .updateTable('users')
      .set({ disabled_at: 1 })
      .where('id', '=', grace.user.id)
      .execute()
    expect((await read(url)).statusCode).toBe(404)
  })

  it('makes no link and no second export while one runs', async () => {
    const { db } = product.database
    const joan = await product.join('Joan')
    const running = {
      id: 'of-joan',
      kind: 'export',
      state: 'running',
      files: '[]',
      created_at: Date.now(),
    } as const
    await insertTransfer(db, joan.user, running)
    // Another node works on it.
    await db.updateTable('transfers').set({ lease_until: 8e12 }).where('id', '=', running.id).execute()
    expect((await joan.post('/api/exports/of-joan/link')).statusCode).toBe(409)
    expect((await joan.post('/api/exports')).statusCode).toBe(409)
    expect((await joan.post('/api/exports/of-joan/cancel')).statusCode).toBe(204)
    expect((await joan.post('/api/exports/of-joan/link')).statusCode).toBe(409)
    await makeExport(joan)
  })

  const exportChat = (client: ChatClient, id: string, query: string) =>
    read(`/api/chat/${id}/export?${query}`, client.headers)

  it('sends the shown branch of a chat as Markdown', async () => {
    const { db } = product.database
    const chatId = await ada.client.newChat()
    const chat = { id: chatId, updated_at: Date.UTC(2026, 10, 29, 14, 3) }
    const [question, other] = await addPath(db, chat, [
      { content: 'What is `it`?' },
      { role: 'assistant', content: 'Another version.' },
    ])
    const [, result] = await addBelow(chat.id, question, [
      {
        role: 'assistant',
        content: 'I look.\n\n~~~\nIt was stopped',
        reasoning: 'I think.\n```',
        bot: 'Ada\nbot',
        model: 'm',
        server: 'Tools',
        tool: 'look',
        arguments: '{"a":"```"}',
        call_state: 'answered',
        call: JSON.stringify({}),
      },
      { content: 'It is there.', server: 'Tools', tool: 'look' },
    ])
    const place = { userId: ada.client.user.id, chatId, messageId: result?.id ?? '' }
    const picture = await addFile(
      product.database,
      place,
      { id: 'picture', name: 'a [b].png' },
      Buffer.from('one'),
    )
    const second = await addFile(
      product.database,
      place,
      { id: 'second', name: 'A [B].PNG' },
      Buffer.from('two'),
    )
    const hidden = { userId: ada.client.user.id, chatId, messageId: other?.id ?? '' }
    await addFile(product.database, hidden, { id: 'of-another-version' })
    const files = [picture, second].map(({ id, name, type, size }) => ({ id, name, type, size }))
    await updateMessage(db, chatId, result?.id ?? '', { files: JSON.stringify(files) })
    await db
      .updateTable('chats')
      .set({ title: '../../etc/"ü"\n# x', selected_message_id: result?.id ?? null })
      .where('id', '=', chatId)
      .execute()

    const sent = await exportChat(ada.client, chatId, 'format=markdown')
    expect(sent.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': "attachment; filename*=UTF-8''etc%20%C3%BC%20%23%20x.md",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(sent.body).toBe(
      [
        '# ../../etc/"ü" # x\n\n## You · 2026-11-29 14:03 UTC\n\nWhat is `it`?\n',
        '## Ada bot (m) · 2026-11-29 14:03 UTC\n',
        '<details>\n<summary>Reasoning</summary>\n\nI think.\n```\n```\n\n</details>\n',
        'I look.\n\n~~~\nIt was stopped\n~~~\n\n**Call of Tools, look:**\n\n````json\n{"a":"```"}\n````\n',
        '**Result of Tools, look:**\n\n```\nIt is there.\n```\n',
        String.raw`*File: a \[b\].png*` + '\n',
        String.raw`*File: A \[B\].PNG*` + '\n',
      ].join('\n'),
    )

    const zipped = await exportChat(ada.client, chatId, 'format=markdown&files=true')
    expect(zipped.headers['content-disposition']).toContain('.zip')
    const zip = await readZip(zipped.rawPayload)
    expect(zip.paths).toEqual(['chat.md', 'files/a [b].png', 'files/2 A [B].PNG'])
    expect(zip.bytesOf('files/2 A [B].PNG').toString()).toBe('two')
    expect(zip.bytesOf('chat.md').toString()).toContain(
      String.raw`![a \[b\].png](files/a%20%5Bb%5D.png)` +
        '\n\n' +
        String.raw`![A \[B\].PNG](files/2%20A%20%5BB%5D.PNG)`,
    )
  })

  it('names the files of a ZIP so that every system can unpack it', async () => {
    const chatId = await ada.client.newChat()
    const { db } = product.database
    const [message] = await addPath(db, { id: chatId, updated_at: 1 }, [{ content: 'Files' }])
    const names = [
      '3 a.txt',
      'a.txt',
      'A.txt',
      'nul.tar.gz',
      `${'字'.repeat(200)}.pdf`,
      'u\u0308.txt',
      'ü.txt',
    ]
    const files = []
    for (const [index, name] of names.entries()) {
      const place = { userId: ada.client.user.id, chatId, messageId: message?.id ?? '' }
      const { id, type, size } = await addFile(
        product.database,
        place,
        { id: `named-${index}`, name },
        Buffer.from(name),
      )
      files.push({ id, name, type, size })
    }
    await updateMessage(db, chatId, message?.id ?? '', { files: JSON.stringify(files) })
    const zip = await readZip((await exportChat(ada.client, chatId, 'format=markdown&files=true')).rawPayload)
    expect(zip.paths).toEqual([
      'chat.md',
      'files/3 a.txt',
      'files/a.txt',
      'files/2 A.txt',
      'files/_nul.tar.gz',
      `files/${'字'.repeat(78)}.pdf`,
      'files/u\u0308.txt',
      'files/2 ü.txt',
    ])
    for (const [index, path] of zip.paths.slice(1).entries())
      expect(zip.bytesOf(path).toString()).toBe(names[index])
  })

  it('sends a chat as JSON with all versions, equal to the one in the export of everything', async () => {
    const plain = await exportChat(ada.client, ada.chat, 'format=json')
    expect(plain.headers['content-disposition']).toMatch(/\.json$/)
    const { chat } = ChatExport.parse(plain.json())
    const full = ChatExport.parse((await exportChat(ada.client, ada.chat, 'format=json&files=true')).json())
    const { id } = await makeExport(ada.client)
    const zip = await readZip((await read(await linkOf(ada.client, id))).rawPayload)
    const inZip = zip.jsonOf(`chats/${ada.chat}.json`) as ExportedChat
    const withoutBytes = inZip.files.map((file) => ({ ...file, path: null }))
    expect(chat).toEqual({ ...inZip, files: withoutBytes })
    const base64 = Buffer.from(ada.secret).toString('base64')
    expect(full.chat).toEqual({ ...inZip, files: withoutBytes.map((file) => ({ ...file, base64 })) })
  })

  it.each(['format=markdown', 'format=json'])('sends a reply so far, with %s', async (query) => {
    const { body, statusCode } = await exportChat(ada.client, ada.runningChat, query)
    expect(statusCode).toBe(200)
    expect(body.split(ada.secret).length).toBeGreaterThan(2)
  })

  it('sends no chat that is not the user’s, deleted or requested in another format', async () => {
    const codeOf = async (id: string, query = 'format=json') =>
      (await exportChat(ada.client, id, query)).json<ErrorBody>().error.code
    expect(await codeOf(eve.chat)).toBe('not_found')
    expect(await codeOf(ada.deletedChat)).toBe('chat_deleted')
    expect(await codeOf(ada.chat, 'format=pdf')).toBe('invalid_request')
    expect(await codeOf(ada.chat, '')).toBe('invalid_request')
  })

  it('keeps every byte of a large file in Base64', async () => {
    const bytes = Buffer.from(Array.from({ length: 600_001 }, (_, index) => index % 251))
    const place = { userId: ada.client.user.id, chatId: ada.chat, messageId: ada.reply }
    await addFile(product.database, place, { id: 'large' }, bytes)
    const { chat } = ChatExport.parse(
      (await exportChat(ada.client, ada.chat, 'format=json&files=true')).json(),
    )
    const large = chat.files.find(({ id }) => id === 'large')
    expect(Buffer.from(large?.base64 ?? '', 'base64').equals(bytes)).toBe(true)
  })

  /** Stores messages below each other, below `parent`. */
  async function addBelow(
    chat_id: string,
    parent: Awaited<ReturnType<typeof addPath>>[number] | undefined,
    messages: readonly Parameters<typeof addPath>[2][number][],
  ) {
    const { db } = product.database
    const rows = []
    let above = parent ?? null
    for (const { role = 'user', content = '', ...change } of messages) {
      const row = await appendMessage(
        db,
        newMessage({ chat_id, role, content }),
        above,
        parent?.unix_timestamp ?? 1,
      )
      const { bot, server, ...rest } = change
      await updateMessage(db, chat_id, row.id, rest)
      await db
        .updateTable('messages')
        .set({ bot: bot ?? null, server: server ?? null })
        .where('chat_id', '=', chat_id)
        .where('id', '=', row.id)
        .execute()
      rows.push(row)
      above = row
    }
    return rows
  }

  it('is refused without SELF_SERVICE=on, and writes nothing', async () => {
    const closed = await openToolApp({ engine, environment: { SELF_SERVICE: 'off' } })
    try {
      const client = await closed.join('Ada')
      const chat = await client.newChat()
      const before = await hashTables(closed.database)
      for (const response of [
        await client.post('/api/exports'),
        await client.post('/api/exports/any/link'),
        await client.get(`/api/chat/${chat}/export?format=json`),
        await closed.app.inject({ url: '/api/exports/any/file?ticket=x', headers: host }),
      ])
        expect(response.json()).toEqual({
          error: {
            code: 'forbidden',
            message:
              'Data cannot be exported here, because the operator of this site has not set SELF_SERVICE=on.',
          },
        })
      expect(await hashTables(closed.database)).toEqual(before)
    } finally {
      await closed.close()
    }
  })
})
