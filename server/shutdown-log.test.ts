import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startScriptedModel, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp } from './testing/send-request.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

describe('a normal shutdown', () => {
  let model: ScriptedModel
  let product: MainProcess
  const uploads: ClientRequest[] = []
  afterEach(async () => {
    uploads.splice(0).forEach((upload) => upload.destroy())
    await product.remove()
    await model.close()
  })

  it.each(['SIGHUP', 'SIGTERM'] as const)(
    'on %s logs no error, whatever clients are doing',
    async (signal) => {
      model = await startScriptedModel()
      product = await startMain({
        LOG_LEVEL: 'info',
        DRAIN_SECONDS: '0',
        DEFAULT_MODEL_BASE_URL: model.baseUrl,
        DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
      })
      const { access_token } = await new SignInSession(product.base).join()
      const headers = { authorization: `Bearer ${access_token}` }
      const ada = createRequestClient(overHttp(product.base), headers)
      model.reply(Array.from({ length: 3_000 }, (_, at) => [`${at} `, { delay: 20 }]).flat())
      const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
      const stream = await ada.stream('/api/chat/completions', {
        chatId,
        botName: 'Helper',
        content: 'Count',
      })
      await stream.until(({ text }) => text.includes('5 '))
      const live = await fetch(`${product.base}/api/live`, { headers })
      const idle = await fetch(`${product.base}/healthz`)
      await idle.text()
      // Two that have sent a part of their body.
      for (const path of ['/api/chat/completions', '/api/bot']) {
        const upload = request(product.base + path, {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': 1_000,
            expect: '100-continue',
          },
        })
        uploads.push(upload)
        upload.on('error', () => undefined)
        upload.flushHeaders()
        await once(upload, 'continue')
        upload.write('{"content":')
      }
      const ended = product.end(signal)
      // A request that comes during the shutdown.
      const late = await ada.get('/api/bots').catch(() => undefined)
      expect([200, 503, undefined]).toContain(late?.statusCode)
      expect(await ended).toBe(0)
      await live.body?.cancel().catch(() => undefined)
      const errors = product
        .output()
        .split('\n')
        .filter((line) => /"level":[56]0|unhandled|Error/.test(line))
      expect(errors).toEqual([])
    },
    60_000,
  )
})
