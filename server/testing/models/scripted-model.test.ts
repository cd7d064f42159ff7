import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts'

let model: ScriptedModel

beforeEach(async () => {
  model = await startScriptedModel()
})
afterEach(() => model.close())

function send(content: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
    ...(signal === undefined ? {} : { signal }),
  })
}

describe('the scripted model', () => {
  it('replies by the last user message first, then in order, and records the requests', async () => {
    model.when('weather', ['sunny'])
    model.reply(['one'])
    model.reply(['two'])
    const texts = []
    for (const content of ['a', 'how is the weather?', 'b']) texts.push(await (await send(content)).text())
    expect(texts.map((text) => /one|two|sunny/.exec(text)?.[0])).toEqual(['one', 'sunny', 'two'])
    expect(texts.every((text) => text.endsWith('data: [DONE]\n\n'))).toBe(true)
    expect(model.requests.map((request) => request.body.model)).toEqual(['m', 'm', 'm'])
    expect(await model.requests[0]?.done).toBe(true)
  })

  it('pauses a reply at a gate and notices when its reader disconnects', async () => {
    const gate = model.gate()
    model.reply(['before', gate, 'after'])
    const stop = new AbortController()
    const answer = await send('x', stop.signal)
    const request = await model.received(1)
    expect(model.openRequests).toBe(1)
    const { value } = (await answer.body?.getReader().read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain('before')
    stop.abort()
    expect(await request.done).toBe(false)
    expect(model.openRequests).toBe(0)
    gate.open()
  })

  it('responds with a scripted status', async () => {
    model.reply([{ status: 429, body: { error: { message: 'later' } }, headers: { 'retry-after': '1' } }])
    const answer = await send('x')
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      429,
      '1',
      { error: { message: 'later' } },
    ])
  })
})
