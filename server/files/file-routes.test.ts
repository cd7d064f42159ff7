import { request } from 'node:http'
import type { FilePlan, FileSpace } from '@yonder/contract/file'
import type { SentPrompt } from '@yonder/contract/sent-prompt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectBytes, pieceBytes } from '../db/files/file-bytes.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { makeXlsx } from '../testing/files/make-office.ts'
import { makePdf } from '../testing/files/make-pdf.ts'
import { makePng, sendFileTo, uploadFile } from '../testing/files/upload-file.ts'
import { statusAndBody } from '../testing/send-request.ts'
import { removeUnused } from './remove-unused.ts'

const dayMs = 86_400_000
const megabyte = 1_000_000

/** A small file that declares far more pixels than it has. */
function hugePng(): Buffer {
  const bytes = makePng(1, 1)
  bytes.writeUInt32BE(30_000, 16)
  bytes.writeUInt32BE(30_000, 20)
  return bytes
}

describe.each(engines)('a file, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  let eve: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine, environment: { MAX_FILE_MB: '2', MAX_USER_FILES_MB: '8' } })
    ada = await product.join('Ada')
    eve = await product.join('Eve')
  })
  afterAll(() => product.close())

  const upload = (name: string, bytes: Uint8Array, user = ada) => uploadFile(product.base, user, name, bytes)
  const attempt = (name: string, bytes: Uint8Array, user = ada) => sendFileTo(product.base, user, name, bytes)
  const read = (id: string, user = ada, headers = {}) => user.get(`/api/files/${id}`, headers)
  const plan = async (ids: readonly string[], botName = 'Helper') =>
    (await ada.post('/api/files/plan', { botName, files: ids })).json<{ files: FilePlan[] }>().files
  /** Counts the uploads that have begun and not ended. */
  const countUploads = async () =>
    (await product.database.db.selectFrom('unused_bytes').selectAll().where('since', '>', 0).execute()).length
  /** Sends a request that must write nothing, and returns its response. */
  const refused = async (send: () => ReturnType<typeof attempt>) => {
    const before = await hashTables(product.database)
    const response = await send()
    expect(await hashTables(product.database)).toEqual(before)
    return statusAndBody(response)
  }

  it('is stored once, is read by its owner only, and by others as if it were not there', async () => {
    const bytes = makePng(640, 480, 'of Ada')
    const first = await upload('a cat.png', bytes)
    expect(first).toEqual({
      id: first.id,
      name: 'a cat.png',
      type: 'image/png',
      size: bytes.length,
      width: 640,
      height: 480,
    })
    expect(await upload('the same.png', bytes)).toEqual({ ...first, name: 'the same.png' })
    expect((await upload('a cat.png', bytes, eve)).id).not.toBe(first.id)
    const response = await read(first.id)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': "inline; filename*=UTF-8''a%20cat.png",
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    const foreign = await read(first.id, eve)
    expect(statusAndBody(foreign)).toEqual(statusAndBody(await read('unknown', eve)))
    expect(foreign.statusCode).toBe(404)
    expect(await refused(() => eve.delete(`/api/files/${first.id}`))).toMatchObject({ status: 404 })
    expect((await read(first.id)).statusCode).toBe(200)
    expect((await plan([first.id])).length).toBe(1)
    const asEve = await eve.post('/api/files/plan', { botName: 'Helper', files: [first.id] })
    expect(asEve.json<{ files: FilePlan[] }>().files).toEqual([])
  })

  it('is read in ranges, across the pieces in which it is stored', async () => {
    const bytes = Buffer.alloc(2 * pieceBytes + 100)
    for (let at = 0; at < bytes.length; at++) bytes[at] = 97 + (Math.floor(at / 3) % 26)
    const { id } = await upload('long.txt', bytes)
    expect((await read(id)).body).toBe(bytes.toString())
    const end = bytes.length - 1
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 0],
      [`bytes=${pieceBytes - 2}-${pieceBytes + 2}`, pieceBytes - 2, pieceBytes + 2],
      [`bytes=${pieceBytes}-`, pieceBytes, end],
      ['bytes=-5', end - 4, end],
      ['bytes=10-99999999', 10, end],
    ] as const) {
      const response = await read(id, ada, { range })
      expect(response.statusCode).toBe(206)
      expect(response.headers['content-range']).toBe(`bytes ${from}-${to}/${bytes.length}`)
      expect(response.body).toBe(bytes.toString('latin1', from, to + 1))
    }
    for (const range of [`bytes=${bytes.length}-`, 'bytes=5-2', 'bytes=-0', 'bytes=0-1,3-4', 'lines=1'])
      expect((await read(id, ada, { range })).statusCode).toBe(200)
    // As a browser asks for the rest of a download whose connection was lost.
    const { etag } = (await read(id)).headers
    expect(etag).toBe(`"${id}"`)
    const rest = await read(id, ada, { range: `bytes=${end}-`, 'if-range': String(etag) })
    expect([rest.statusCode, rest.body, rest.headers['etag']]).toEqual([
      206,
      bytes.toString('latin1', end),
      etag,
    ])
    const other = await read(id, ada, { range: `bytes=${end}-`, 'if-range': '"another"' })
    expect([other.statusCode, other.body.length]).toEqual([200, bytes.length])
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\plan.txt', 'plan.txt'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['\0\u200B\n', 'file.plain'],
    ['...', 'file.plain'],
    [`${'x'.repeat(5_000)}.txt`, `${'x'.repeat(251)}.txt`],
  ])('gets a name that can be shown and saved: %j', async (name, shown) => {
    expect((await upload(name, Buffer.from(`named ${encodeURI(name)}`))).name).toBe(shown)
  })

  it.each<[what: string, name: string, bytes: Buffer, status: number, sentence: RegExp]>([
    ['an empty file', 'a.txt', Buffer.alloc(0), 400, /empty/],
    ['a program', 'a.png', Buffer.from('MZ\x90\0\x03\0\0\0'), 415, /program/],
    ['a sound', 'a.mp3', Buffer.from('ID3\x04\0\0'), 415, /sound/],
    ['a ZIP archive', 'a.docx', Buffer.from('PK\x03\x04\0\0\0\0'), 415, /ZIP/],
    ['too many pixels', 'a.png', hugePng(), 415, /30,000 x 30,000/],
    ['a cut picture', 'a.png', makePng().subarray(0, 10), 415, /damaged/],
    ['too many bytes', 'a.txt', Buffer.alloc(2 * megabyte + 1, 'a'), 413, /larger than 2 MB/],
  ])('is refused, with nothing stored: %s', async (_, name, bytes, status, sentence) => {
    const response = await refused(() => attempt(name, bytes))
    expect(response).toMatchObject({ status, body: { error: { message: expect.stringMatching(sentence) } } })
    expect(await countUploads()).toBe(0)
  })

  it('is what its bytes are, whatever its name says', async () => {
    const page = await upload('cat.png', Buffer.from('<svg onload="alert(1)"/>'))
    expect(page.type).toBe('text/plain')
    expect((await read(page.id)).headers['content-disposition']).toMatch(/^attachment/)
  })

  it('is counted, and refused when the files of the user would be too large together', async () => {
    const max = await product.join('Max')
    let used = 0
    for (const fill of ['1', '2', '3', '4'])
      used += (await upload(`${fill}.png`, makePng(1_400, 1_400, fill), max)).size
    const space = (await max.get('/api/files')).json<FileSpace>()
    expect(space).toEqual({ used, quota: 8 * megabyte, max_file: 2 * megabyte })
    const response = await refused(() => attempt('5.png', makePng(1_400, 1_400, '5'), max))
    expect(response.status).toBe(507)
    expect(response.body).toMatchObject({ error: { message: expect.stringContaining('8 MB') } })
    const ida = await product.join('Ida')
    const atOnce = await Promise.all(
      ['1', '2', '3', '4', '5', '6'].map((fill) => attempt(`${fill}.png`, makePng(1_400, 1_400, fill), ida)),
    )
    expect(atOnce.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 201, 507, 507])
    const { id } = await upload('0.txt', Buffer.from('0'), ada)
    expect((await ada.delete(`/api/files/${id}`)).statusCode).toBe(204)
    expect((await read(id)).statusCode).toBe(404)
  })

  it('of which only a part arrived does not exist, wherever it was cut', async () => {
    const { port } = new URL(product.base)
    const bytes = Buffer.alloc(megabyte, 'cut')
    // Else the next pass, once a minute, may delete what is to be deleted while this test runs.
    await removeUnused({ database: product.database, now: Date.now })
    const before = await hashTables(product.database)
    for (let tenth = 0; tenth < 10; tenth++) {
      await new Promise<void>((resolve) => {
        const sent = request({
          port,
          method: 'POST',
          path: '/api/files?name=cut.txt',
          headers: {
            ...ada.headers,
            'content-type': 'application/octet-stream',
            'content-length': bytes.length,
          },
        })
        sent.on('error', () => undefined)
        sent.on('close', () => resolve())
        sent.write(bytes.subarray(0, Math.floor((bytes.length * tenth) / 10)), () => sent.destroy())
      })
    }
    // An upload that was cut deletes what it had, before a later one has ended.
    await expect.poll(() => hashTables(product.database)).toEqual(before)
  })

  it('that is uploaded many times at once is stored once', async () => {
    const bytes = Buffer.from('all at once')
    const all = await Promise.all(Array.from({ length: 6 }, () => upload('same.txt', bytes)))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect((await read(all[0]?.id ?? '')).body).toBe('all at once')
  })

  it('that was not sent is deleted after 30 days, and so are the bytes of killed uploads', async () => {
    const { db, bytes } = product.database
    const unsent = await upload('unsent.txt', Buffer.from('unsent'))
    const sent = await upload('sent.txt', Buffer.from('sent'))
    const chatId = await ada.newChat()
    await (
      await ada.complete({ chatId, content: [{ type: 'file', file: { id: sent.id } }] })
    ).ended
    await db.insertInto('unused_bytes').values({ file_id: 'killed', since: Date.now() }).execute()
    await bytes.write(
      'killed',
      (async function* () {
        yield Buffer.from('half')
      })(),
    )
    const sweep = (days: number) =>
      removeUnused({ database: product.database, now: () => Date.now() + days * dayMs })
    await sweep(0)
    expect((await collectBytes(bytes.read('killed'))).toString()).toBe('half')
    await sweep(2)
    expect(await collectBytes(bytes.read('killed'))).toHaveLength(0)
    expect((await read(unsent.id)).statusCode).toBe(200)
    await sweep(31)
    expect((await read(unsent.id)).statusCode).toBe(404)
    await sweep(31)
    expect(await collectBytes(bytes.read(unsent.id))).toHaveLength(0)
    expect((await read(sent.id)).body).toBe('sent')
    expect(await refused(() => ada.delete(`/api/files/${sent.id}`))).toMatchObject({ status: 409 })
  })

  it('is given to a model as its text, as far as there is room, and what it was given can be read', async () => {
    const lines = `(${'word '.repeat(12)}) '`.repeat(40)
    const pages = Array.from({ length: 40 }, (_, page) => ({
      content: `BT /F 12 Tf 14 TL 72 780 Td (Page ${page + 1}.) ' ${lines} ET`,
    }))
    const file = await upload('Rules "2026".pdf', makePdf(...pages))
    await ada.post('/api/bot', { name: 'Small', model: 'scripted', context_window: 16_000 })
    const [planned] = await plan([file.id], 'Small')
    expect(planned).toMatchObject({ id: file.id, as: 'text', part: { unit: 'page', total: 40 } })
    const given = planned?.part?.given ?? 0
    expect(given).toBeGreaterThan(5)
    expect(given).toBeLessThan(20)
    const chatId = await ada.newChat()
    const content = [{ text: 'What do they say?' }, { type: 'file', file: { id: file.id } }]
    const stream = await ada.complete({ chatId, content, botName: 'Small' })
    await stream.ended
    const sent = String(product.model.requests.at(-1)?.body.messages?.at(-1)?.content)
    expect(sent).toContain(
      `The text of the attached file "Rules \\"2026\\".pdf", the first ${given} of its 40 pages`,
    )
    expect(sent).toContain(`Page ${given}.`)
    expect(sent).not.toContain(`Page ${given + 1}.`)
    expect(sent.trimEnd()).toMatch(/What do they say\?$/)
    const reply = stream.run.messages[1]?.id
    const prompt = await ada.get(`/api/chats/${chatId}/messages/${reply}/prompt`)
    expect(prompt.json<SentPrompt>().messages.at(-1)?.content).toBe(sent)
  })

  it('is given in part also when it is one long sheet, and whole sheets are counted when they are short', async () => {
    const row = (text: string, number: number) => `<row><c r="A${number}" t="str"><v>${text}</v></c></row>`
    const rows = Array.from({ length: 4_000 }, (_, index) =>
      row(`Row ${index} ${'word '.repeat(10)}`, index + 1),
    )
    const long = await upload(
      'long.xlsx',
      makeXlsx([
        { name: 'First', rows: row('short', 1) },
        { name: 'Data', rows: rows.join('') },
      ]),
    )
    await ada.post('/api/bot', { name: 'Narrow', model: 'scripted', context_window: 16_000 })
    const [planned] = await plan([long.id], 'Narrow')
    // The names of the sheets and the line between them are lines, too.
    expect(planned).toMatchObject({ as: 'text', part: { unit: 'line', total: 4_004 } })
    expect(planned?.part?.given).toBeGreaterThan(300)
    const short = await upload('short.xlsx', makeXlsx([{ name: 'First', rows: row('short', 1) }]))
    const { unit } = await product.database.db
      .selectFrom('user_files')
      .select('unit')
      .where('id', '=', short.id)
      .executeTakeFirstOrThrow()
    expect(unit).toBe('sheet')
  })

  it('is cut when the provider says that its window is smaller, and the reply and the next plan say so', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `Rule ${line}: ${'word '.repeat(10)}`)
    const file = await upload('rules.txt', Buffer.from(lines.join('\n')))
    await ada.post('/api/bot', { name: 'Unknown', model: 'of-unknown-window' })
    const [before] = await plan([file.id], 'Unknown')
    expect(before).toMatchObject({ as: 'text' })
    expect(before?.part).toBeUndefined()
    const tooLong = "This model's maximum context length is 6000 tokens."
    product.model.reply([{ status: 400, body: { error: { message: tooLong } } }])
    const chatId = await ada.newChat()
    const content = [{ text: 'Sum it up' }, { file: { id: file.id } }]
    const stream = await ada.complete({ chatId, content, botName: 'Unknown' })
    await stream.ended
    const [after] = await plan([file.id], 'Unknown')
    expect(after?.part).toMatchObject({ unit: 'line', total: 400 })
    expect(stream.run.messages[1]).toMatchObject({
      status: 'complete',
      notice: `The prompt was too long for of-unknown-window, so it was given only the first ${after?.part?.given} of 400 lines of “rules.txt”.`,
    })
    const sent = String(product.model.requests.at(-1)?.body.messages?.at(-1)?.content)
    expect(sent).toContain(`the first ${after?.part?.given} of its 400 lines`)
  })

  it('is a picture for a model that sees, and only a name for one that does not', async () => {
    const picture = await upload('roof.png', makePng(800, 600))
    await ada.post('/api/bot', { name: 'Seeing', model: 'scripted', images: 'yes' })
    expect(await plan([picture.id])).toEqual([
      { id: picture.id, as: 'name', tokens: 40, reason: 'scripted cannot see pictures.' },
    ])
    expect(await plan([picture.id], 'Seeing')).toEqual([{ id: picture.id, as: 'picture', tokens: 680 }])
    const chatId = await ada.newChat()
    const content = [
      { text: 'What is wrong with it?' },
      { type: 'file', file: { id: picture.id, name: 'My roof.png', alt: 'a tiled roof' } },
    ]
    await (
      await ada.complete({ chatId, content, botName: 'Seeing' })
    ).ended
    const seen = product.model.requests.at(-1)?.body.messages?.at(-1)?.content
    expect(JSON.stringify(seen)).toContain(makePng(800, 600).toString('base64'))
    expect(JSON.stringify(seen)).toContain('My roof.png')
    expect(JSON.stringify(seen)).toContain('a tiled roof')
    await (
      await ada.complete({ chatId, content: 'And now?', botName: 'Helper' })
    ).ended
    const named = product.model.requests.at(-1)?.body.messages?.[0]?.content
    expect(named).toContain('My roof.png')
    expect(named).toContain('described as: a tiled roof')
    expect(named).toContain('scripted cannot see pictures.')
    expect(named).toContain('What is wrong with it?')
  })

  it('is refused in a body that is not its bytes, and nothing is stored', async () => {
    const response = await refused(() => ada.post('/api/files?name=a.json', { a: 1 }))
    expect(response).toMatchObject({
      status: 415,
      body: { error: { message: expect.stringContaining('application/octet-stream') } },
    })
  })

  it('that the provider has refused does not make it refuse the messages that follow', async () => {
    const refused = await upload('cat.png', makePng(90, 90))
    const other = await upload('dog.png', makePng(91, 91))
    await ada.post('/api/bot', { name: 'Picky', model: 'picky', images: 'yes' })
    const chatId = await ada.newChat()
    const send = async (content: unknown) => {
      const stream = await ada.complete({ chatId, content, botName: 'Picky' })
      await stream.ended
      return stream.run.messages[1]
    }
    product.model.reply([{ status: 400, body: { error: { message: 'Could not process image' } } }])
    const failed = await send([{ file: { id: refused.id } }])
    expect(failed?.error).toMatchObject({ code: 'file_refused' })
    const reply = await send([{ text: 'Then this one' }, { file: { id: other.id } }])
    expect(reply).toMatchObject({
      status: 'complete',
      notice: 'The provider has refused “cat.png”, so the model was given only the name.',
    })
    const sent = JSON.stringify(product.model.requests.at(-1)?.body.messages)
    expect(sent).toContain(makePng(91, 91).toString('base64'))
    expect(sent).not.toContain(makePng(90, 90).toString('base64'))
    expect(sent).toContain('The provider has refused it.')
    // Attached once more, it is sent once more.
    await send([{ text: 'Try again' }, { file: { id: refused.id } }])
    expect(JSON.stringify(product.model.requests.at(-1)?.body.messages)).toContain(
      makePng(90, 90).toString('base64'),
    )
  })

  it('of another user, or one that is gone, is named and nothing is sent', async () => {
    const foreign = await upload('hers.txt', Buffer.from('hers'), eve)
    const chatId = await ada.newChat()
    const content = [{ text: 'Read' }, { type: 'file', file: { id: foreign.id, name: 'hers.txt' } }]
    const response = await refused(() =>
      ada.post('/api/chat/completions', { chatId, botName: 'Helper', content }),
    )
    expect(response).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('the file "hers.txt" is not stored any more') } },
    })
    const many = Array.from({ length: 11 }, (_, index) => ({ type: 'file', file: { id: `f${index}` } }))
    const tooMany = await refused(() =>
      ada.post('/api/chat/completions', { chatId, botName: 'Helper', content: many }),
    )
    expect(tooMany).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('at most 10') } },
    })
  })

  it('is found by its name, before and after its message is indexed', async () => {
    const file = await upload('offer.txt', Buffer.from('an offer'))
    const chatId = await ada.newChat()
    const named = { type: 'file', file: { id: file.id, name: 'Wärmepumpe Angebot.txt' } }
    await (
      await ada.complete({ chatId, content: [{ text: 'Is this a good one?' }, named] })
    ).ended
    const search = async (words: string) => {
      const { chats } = (await ada.get(`/api/chats?search=${encodeURIComponent(words)}`)).json<{
        chats: { id: string }[]
      }>()
      return chats.map(({ id }) => id)
    }
    const isIndexed = async () =>
      (await product.database.db.selectFrom('search_queue').selectAll().execute()).length === 0
    expect(await search('wärmepumpe good')).toEqual([chatId])
    await expect.poll(isIndexed).toBe(true)
    expect(await search('angebot')).toEqual([chatId])
    expect(await search('offer.txt')).not.toContain(chatId)
  })

  it('goes along with a shared chat only when its owner says so', async () => {
    const file = await upload('shared.txt', Buffer.from('for all'))
    const chatId = await ada.newChat()
    await (
      await ada.complete({ chatId, content: [{ text: 'See' }, { file: { id: file.id, name: 'Plan.txt' } }] })
    ).ended
    const shared = (await ada.post(`/api/share/${chatId}`, {})).json<{ shareId: string; files?: unknown }>()
    expect(shared.files).toEqual({ count: 1, shared: false })
    const visit = (path: string) =>
      product.app.inject({ url: `/api/share/${shared.shareId}${path}`, headers: { host: 'localhost:3000' } })
    expect((await visit('')).body).toContain('Plan.txt')
    expect((await visit('')).body).not.toContain(file.id)
    expect((await visit(`/files/${file.id}`)).statusCode).toBe(404)
    expect((await eve.patch(`/api/share/${shared.shareId}`, { files: true })).statusCode).toBe(404)
    expect((await ada.patch(`/api/share/${shared.shareId}`, { files: true })).statusCode).toBe(204)
    expect((await visit('')).body).toContain(file.id)
    const given = await visit(`/files/${file.id}`)
    expect(given.body).toBe('for all')
    // The name that its owner gave it in the message, and not the one on the owner's machine.
    expect(given.headers['content-disposition']).toBe("attachment; filename*=UTF-8''Plan.txt")
    const other = await upload('other.txt', Buffer.from('not shared'))
    expect((await visit(`/files/${other.id}`)).statusCode).toBe(404)
    expect((await ada.post(`/api/share/${chatId}`, {})).json()).toEqual({
      ...shared,
      files: { count: 1, shared: true },
    })
    await ada.delete(`/api/share/${shared.shareId}`)
    expect((await visit(`/files/${file.id}`)).statusCode).toBe(404)
  })

  it('that cannot be written leaves nothing, and the message says why', async () => {
    const { bytes } = product.database
    const write = bytes.write.bind(bytes)
    Object.assign(bytes, {
      write: () =>
        Promise.reject(
          Object.assign(new Error('no space'), { code: engine === 'sqlite' ? 'ENOSPC' : '53100' }),
        ),
    })
    const response = await refused(() => attempt('full.txt', Buffer.from('disk full')))
    Object.assign(bytes, { write })
    expect(response).toMatchObject({
      status: 507,
      body: { error: { message: expect.stringContaining('no disk space') } },
    })
  })
})
