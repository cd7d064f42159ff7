import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf } from '../../testing/chat/open-tool-app.ts'
import { callOfReply, openToolScene, resultOf, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'
import { startEverything, type McpProcess } from '../../testing/mcp/start-mcp-process.ts'
import { statusAndBody } from '../../testing/send-request.ts'

describe.each(engines)('a reply that calls tools, on %s', (engine) => {
  let product: ToolScene
  let everything: McpProcess
  let ada: ChatClient
  beforeAll(async () => {
    everything = await startEverything()
    product = await openToolScene({ engine })
    ada = product.ada
    await ada.post('/api/mcp-server', { name: 'everything', url: everything.url, allow_tools: null })
    await ada.post('/api/mcp-server/everything/connect')
  })
  afterAll(async () => {
    await product.close()
    await everything.close()
  })

  it('stores images beside the messages', async () => {
    product.model.reply([callOf('everything', 'get-tiny-image')])
    product.model.reply(['A picture.'])
    const { chatId, stream } = await product.sendNew('Draw')
    await stream.ended
    const result = resultOf(stream)
    const number = expect.any(Number) as number
    const id = expect.any(String) as string
    expect(result?.content).toEqual([
      { type: 'text', text: textOfContent(result?.content ?? '') },
      {
        type: 'file',
        file: {
          id,
          name: 'get-tiny-image.png',
          type: 'image/png',
          size: number,
          width: number,
          height: number,
        },
      },
    ])
    const [file] = filesOfContent(result?.content ?? '')
    expect(result?.outcome?.parts).toContainEqual({
      type: 'image',
      file: file?.id,
      width: number,
      height: number,
    })
    const image = await ada.get(`/api/files/${file?.id}`)
    expect(image.headers['content-type']).toBe('image/png')
    expect(image.headers['content-length']).toBe(String(file?.size))
    expect(image.body.slice(1, 4)).toBe('PNG')
    const chat = await ada.readChat(chatId)
    expect(chat.messages.find((message) => message.id === result?.id)).toEqual(result)
    expect(JSON.stringify(chat)).not.toContain('iVBOR')
    expect(stream.raw).not.toContain('iVBOR')
    expect(JSON.stringify(product.sentToModel())).not.toContain('iVBOR')
  })

  it('shows the progress of a call, in the stream and in the chat', async () => {
    product.model.reply([callOf('everything', 'trigger-long-running-operation', { duration: 1.5, steps: 3 })])
    product.model.reply(['Done.'])
    const { chatId, stream } = await product.sendNew('Wait')
    await stream.until((it) => callOfReply(it)?.progress !== undefined)
    const chat = await ada.readChat(chatId)
    expect(chat.messages[1]?.call).toMatchObject({
      state: 'running',
      progress: { progress: expect.any(Number) as number, total: 3 },
    })
    expect(chat.run?.message_id).toBe(chat.messages[1]?.id)
    await stream.ended
    expect(stream.text).toBe('Done.')
    expect(stream.run.messages[1]?.call).toEqual({
      state: 'answered',
      title: expect.any(String) as string,
      decision: { kind: 'no_list', at: expect.any(Number) as number },
    })
  })

  describe('an elicitation', () => {
    const filled = { name: 'Ada', check: true }
    async function requestElicitation() {
      product.model.reply([callOf('everything', 'trigger-elicitation-request')])
      const sent = await product.sendNew('Ask me')
      await sent.stream.until((it) => callOfReply(it)?.question !== undefined)
      const messageId = sent.stream.run.messages[1]?.id ?? ''
      const question = callOfReply(sent.stream)?.question
      return { ...sent, question, at: { chatId: sent.chatId, messageId, questionId: question?.id ?? '' } }
    }

    it('is shown, also after a reload, and the call continues with the submitted values', async () => {
      const { chatId, stream, question, at } = await requestElicitation()
      expect((await ada.readChat(chatId)).messages[1]?.call?.question).toEqual(question)
      const content = Object.fromEntries(
        (question?.fields ?? []).flatMap(({ name, required, kind }) => {
          if (!required) return []
          return [[name, kind === 'switch' ? filled.check : filled.name]]
        }),
      )
      const answer = { action: 'accept', content }
      product.model.reply(['Thank you.'])
      expect(statusAndBody(await ada.post('/api/tool/answer', { ...at, answer }))).toEqual({
        status: 200,
        body: { answered: true },
      })
      await stream.ended
      expect(resultOf(stream)?.content).toContain('Ada')
      expect(stream.run.messages[1]?.call?.question).toBeUndefined()
      expect(statusAndBody(await ada.post('/api/tool/answer', { ...at, answer }))).toMatchObject({
        status: 409,
      })
    })

    it('can be declined', async () => {
      const { stream, at } = await requestElicitation()
      product.model.reply(['Fine.'])
      await ada.post('/api/tool/answer', { ...at, answer: { action: 'decline' } })
      await stream.ended
      expect(resultOf(stream)?.content).toMatch(/decline/i)
    })

    it('refuses an invalid answer, an answer to another elicitation, and an answer of another user', async () => {
      const { chatId, stream, at } = await requestElicitation()
      const eve = await product.join('Eve')
      const answer = { action: 'accept', content: { name: 5 } }
      const decline = { action: 'decline' }
      const send = (client: ChatClient, body: object) => client.post('/api/tool/answer', body)
      expect(await send(ada, { ...at, answer })).toMatchObject({ statusCode: 400 })
      expect(await send(ada, { ...at, questionId: 'never', answer: decline })).toMatchObject({
        statusCode: 409,
      })
      expect(await send(ada, { ...at, messageId: 'never', answer: decline })).toMatchObject({
        statusCode: 409,
      })
      expect(await send(eve, { ...at, answer: decline })).toMatchObject({ statusCode: 404 })
      expect((await ada.readChat(chatId)).messages[1]?.call?.question?.id).toBe(at.questionId)
      product.model.reply(['Fine.'])
      await send(ada, { ...at, answer: { action: 'cancel' } })
      await stream.ended
    })

    it('is cancelled when the reply is stopped', async () => {
      const { chatId, stream, at } = await requestElicitation()
      await ada.post('/api/chat/stop', { chatId })
      await stream.ended
      expect(stream.run.status).toBe('stopped')
      expect(resultOf(stream)?.outcome?.status).toBe('stopped')
      const answer = { action: 'decline' }
      expect(statusAndBody(await ada.post('/api/tool/answer', { ...at, answer }))).toMatchObject({
        status: 409,
      })
    })
  })
})
