import { filesOfContent } from '@yonder/contract/message-text'
import type { SentPrompt } from '@yonder/contract/sent-prompt'
import type { SharedChat } from '@yonder/contract/share'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from './testing/chat/open-chat-app.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines } from './testing/database/test-database.ts'
import { addFile } from './testing/factories/files.ts'
import { readExport } from './testing/files/read-export.ts'
import { statusAndBody } from './testing/send-request.ts'

const description = (name: string) =>
  `[The file "${name}" (image/png, 3 bytes) is attached, but it cannot be read here.]`

describe.each(engines)('a message with a file, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  /** Starts a chat of a user that has a file, and returns both. */
  async function openChatWithFile(user = ada, id = `file of ${engine}`) {
    const chatId = await user.newChat()
    const { ended, run } = await user.send(chatId, 'Draw')
    await ended
    const file = { id, name: `${id}.png`, type: 'image/png', size: 3 }
    const place = { userId: user.user.id, chatId, messageId: run.messages[0]?.id ?? '' }
    await addFile(product.database, place, { id, name: file.name })
    return { chatId, file }
  }

  it('keeps the file from the request to the model, and wherever the chat is read', async () => {
    const { chatId, file } = await openChatWithFile()
    const named = { ...file, name: 'dog.png' }
    const content = [
      { type: 'text', text: 'Describe it' },
      { type: 'file', file: named },
    ]
    // The client chooses the name. What else it says of a file is not believed.
    const forged = { id: file.id, name: '../\u202Edog.png', type: 'text/html', size: 9 }
    const sent = [{ text: 'Describe it' }, { type: 'file', file: forged }]
    product.model.reply(['A cat.', { finish: 'stop' }])
    const stream = await ada.complete({ chatId, content: sent, id: 'm' })
    await stream.ended
    const [question, reply] = stream.run.messages
    expect(question?.content).toEqual(content)

    const reason = 'scripted cannot see pictures.'
    const asText = `${description(named.name).slice(0, -1)} ${reason}]\n\nDescribe it`
    expect(product.model.requests.at(-1)?.body.messages?.at(-1)?.content).toBe(asText)
    const prompt = await ada.get(`/api/chats/${chatId}/messages/${reply?.id}/prompt`)
    expect(prompt.json<SentPrompt>().messages.at(-1)?.content).toBe(asText)

    const chat = await ada.readChat(chatId)
    expect(chat.messages.find(({ id }) => id === 'm')?.content).toEqual(content)
    const exported = await readExport(product.database, ada.user.subject)
    expect(exported.chats).toContainEqual(expect.objectContaining({ id: chatId, messages: chat.messages }))
    const path = `files/${file.id}.png`
    expect(exported.chats).toContainEqual(
      expect.objectContaining({ files: [expect.objectContaining({ ...file, path })] }),
    )
    expect(exported.bytesOf(path).toString()).toBe('cat')

    const requests = product.model.requests.length
    const again = await ada.complete({ chatId, content: sent, id: 'm' })
    await again.ended
    expect(again.raw).toBe(stream.raw)
    await product.database.db.deleteFrom('runs').where('chat_id', '=', chatId).execute()
    const replayed = await ada.complete({ chatId, content: sent, id: 'm' })
    await replayed.ended
    expect(replayed.run.messages).toEqual(stream.run.messages)
    const without = await ada.complete({ chatId, content: 'Describe it', id: 'm' })
    await without.ended
    expect(without.status).toBe(409)
    expect(product.model.requests).toHaveLength(requests)
  })

  it('is listed as a message without text when it is only a file, and visitors of a link read its name alone', async () => {
    const { chatId, file } = await openChatWithFile(ada, `listed ${engine}`)
    const content = [{ type: 'file', file }]
    const stream = await ada.complete({ chatId, content, parentId: null })
    await stream.ended
    const { chats } = (await ada.get('/api/chats')).json<{ chats: { id: string; messages: unknown[] }[] }>()
    expect(chats.find(({ id }) => id === chatId)?.messages[0]).toEqual({ role: 'user', content })
    const messageId = stream.run.messages[1]?.id
    const { shareId } = (await ada.post(`/api/share/${chatId}`, { messageId })).json<{ shareId: string }>()
    const shared = (await ada.get(`/api/share/${shareId}`)).body
    const { name, type, size } = file
    expect((JSON.parse(shared) as SharedChat).messages[0]?.content).toEqual([
      { type: 'file', file: { id: '', name, type, size } },
    ])
    expect(shared).not.toContain(`"id":"${file.id}"`)
  })

  it('keeps the files of a reply that fails or was replayed', async () => {
    const { chatId, file } = await openChatWithFile(ada, `of a reply ${engine}`)
    product.model.reply([{ status: 400, body: { error: { message: 'no' } } }])
    const stream = await ada.send(chatId, 'Again', { id: 'm' })
    await stream.ended
    const { db } = product.database
    const reply = stream.run.messages[1]?.id ?? ''
    const files = JSON.stringify([file])
    await db
      .updateTable('messages')
      .set({ files })
      .where('chat_id', '=', chatId)
      .where('id', '=', reply)
      .execute()
    await db.deleteFrom('runs').where('chat_id', '=', chatId).execute()
    const replayed = await ada.send(chatId, 'Again', { id: 'm' })
    await replayed.ended
    const stored = (await ada.readChat(chatId)).messages.at(-1)
    expect(filesOfContent(stored?.content ?? '')).toEqual([file])
    expect(replayed.run.messages[1]).toEqual(stored)
  })

  it('is refused with a file of another user or an unknown one, and nothing is written', async () => {
    const eve = await product.join('Eve')
    const foreign = await openChatWithFile(eve, `of Eve ${engine}`)
    const chatId = await ada.newChat()
    const before = await hashTables(product.database)
    const requests = product.model.requests.length
    for (const { file } of [foreign, { file: { ...foreign.file, id: 'unknown' } }]) {
      const content = [{ text: 'Look' }, { type: 'file', file }]
      const response = await ada.post('/api/chat/completions', { chatId, botName: 'Helper', content })
      expect(statusAndBody(response)).toEqual({
        status: 400,
        body: {
          error: { code: 'invalid_request', message: expect.stringContaining('was not sent') as string },
        },
      })
    }
    const content = [{ type: 'file', file: foreign.file }]
    const there = { chatId: foreign.chatId, botName: 'Helper', content }
    expect((await ada.post('/api/chat/completions', there)).statusCode).toBe(400)
    expect(await hashTables(product.database)).toEqual(before)
    expect(product.model.requests).toHaveLength(requests)
  })
})
