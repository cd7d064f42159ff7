import type { FileRef, Message } from '@yonder/contract/message'
import { filesOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectBytes } from '../../db/files/file-bytes.ts'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { makePng } from '../../testing/files/upload-file.ts'
import { startEverything, type McpProcess } from '../../testing/mcp/start-mcp-process.ts'

describe.each(engines)('the files of a tool result, on %s', (engine) => {
  let product: ToolApp
  let everything: McpProcess
  let ada: ChatClient
  beforeAll(async () => {
    ;[product, everything] = await Promise.all([
      openToolApp({ engine, environment: { MAX_USER_FILES_MB: '100' } }),
      startEverything(),
    ])
    ada = await join('Ada')
  })
  afterAll(async () => {
    await product.close()
    await everything.close()
  })

  /** Signs in a user with two bots, of which one sees, and two connectors. */
  async function join(name: string): Promise<ChatClient> {
    const user = await product.join(name)
    await user.post('/api/bot', { name: 'Seeing', model: 'scripted', images: 'yes' })
    await user.post('/api/mcp-server', { name: 'everything', url: everything.url, allow_tools: null })
    const connected = await user.post('/api/mcp-server/everything/connect')
    if (connected.statusCode !== 200) throw new Error(connected.body)
    await product.connect(user, 'files', { allow_tools: null })
    return user
  }

  /** Lets a bot call a tool. Returns the message with the result, and what the model was given after it. */
  async function call(
    connector: string,
    tool: string,
    {
      args = {},
      botName = 'Seeing',
      user = ada,
    }: { args?: object; botName?: string; user?: ChatClient } = {},
  ): Promise<{ result: Message; files: readonly FileRef[]; given: string }> {
    product.model.reply([callOf(connector, tool, args)])
    product.model.reply(['Done.'])
    const stream = await user.complete({ chatId: await user.newChat(), content: 'Call it', botName })
    await stream.ended
    const result = stream.run.messages.find(({ outcome }) => outcome !== undefined)
    if (result === undefined) throw new Error(stream.raw)
    const { messages } = product.model.requests.at(-1)?.body ?? {}
    return { result, files: filesOfContent(result.content), given: JSON.stringify(messages) }
  }

  const readStored = (id: string) => collectBytes(product.database.bytes.read(id))
  const notes = ({ outcome }: Message) =>
    (outcome?.parts ?? []).flatMap((part) => (part.type === 'note' ? [part.text] : []))

  it('reach a model that sees, and not one that does not', async () => {
    const seen = await call('everything', 'get-tiny-image')
    const [picture] = seen.files
    expect(picture).toMatchObject({ type: 'image/png' })
    const data = (await readStored(picture?.id ?? '')).toString('base64')
    expect(data.length).toBeGreaterThan(100)
    expect(seen.given).toContain(data)
    const named = await call('everything', 'get-tiny-image', { botName: 'Helper' })
    expect(named.files).toEqual(seen.files)
    expect(named.given).not.toContain(data)
    expect(named.given).toContain('[An image (image/png) is shown to the user.]')
  })

  it('do not reach a model whose user keeps the pictures of the connector from models', async () => {
    const { result, given } = await call('everything', 'get-tiny-image')
    expect(given).toContain('data:image/png')
    const change = { name: 'everything', url: everything.url, allow_tools: null }
    await ada.put('/api/mcp-server/everything', { ...change, pictures: false })
    const hidden = await call('everything', 'get-tiny-image')
    expect(hidden.files).toEqual(filesOfContent(result.content))
    expect(hidden.given).not.toContain('data:image/png')
    await ada.put('/api/mcp-server/everything', { ...change, pictures: true })
    expect((await call('everything', 'get-tiny-image')).given).toContain('data:image/png')
  })

  it('are whole when they are large', async () => {
    const [width, height, bytes] = [2_048, 1_611, 7_500_000]
    const { result, files, given } = await call('files', 'act', { args: { width, height, bytes } })
    const picture = makePng(width, height)
    expect(notes(result)).toEqual([])
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
      ['act.png', 'image/png', picture.length],
      ['recording', 'audio/wav', 16],
      ['report.bin', 'application/octet-stream', bytes],
    ])
    const [ofPicture, ofRecording, ofReport] = files.map(({ id }) => id)
    expect((await readStored(ofPicture ?? '')).equals(picture)).toBe(true)
    expect((await readStored(ofReport ?? '')).equals(Buffer.alloc(bytes))).toBe(true)
    expect(given).toContain('Before the files.')
    expect(given).toContain('After the files.')
    expect(given).toContain(picture.toString('base64'))
    expect((result.outcome?.parts ?? []).filter((part) => 'file' in part)).toEqual([
      { type: 'image', file: ofPicture, width, height },
      { type: 'audio', file: ofRecording },
      { type: 'file', file: ofReport },
    ])
  })

  it('leave a note for the one that is too large, and the rest of the result', async () => {
    const { result, files, given } = await call('files', 'act', { args: { width: 2_048, height: 5_300 } })
    expect(notes(result)).toEqual([
      expect.stringMatching(/an image \(image\/png\), 10\.9 MB\) is not shown: at most 10 MB/),
    ])
    expect(files.map(({ name }) => name)).toEqual(['recording', 'report.bin'])
    expect(given).toContain('at most 10 MB')
    expect(given).toContain('After the files.')
  })

  it('leave a note when the files of the user take all the space that they may', async () => {
    const eve = await join('Eve')
    await product.database.db
      .insertInto('user_files')
      .values({
        id: `large ${engine}`,
        user_id: eve.user.id,
        hash: null,
        name: 'large',
        type: 'text/plain',
        size: 100 * 1_048_576,
        width: null,
        height: null,
        unit: null,
        total: null,
        problem: null,
        unsent_since: Date.now(),
      })
      .execute()
    const { result, files, given } = await call('files', 'act', { user: eve })
    expect(files).toEqual([])
    expect(notes(result)).toEqual(
      ['act.png', 'recording', 'report.bin'].map((name) =>
        expect.stringMatching(`The file ${name} of the result was not stored. .*100 MB`),
      ),
    )
    expect(given).toContain('After the files.')
  })
})
