import { describe, expect, it, vi } from 'vitest'
import { createApiClient, type SendFile } from './api-client.ts'
import { ApiError, UnreachableError } from './api-error.ts'

interface Sent {
  readonly path: string
  readonly init: RequestInit
}

function open(answer: () => Response, getAccessToken: () => Promise<string | null> = async () => 'secret') {
  const sent: Sent[] = []
  const onUnauthorized = vi.fn()
  const client = createApiClient({
    getAccessToken,
    onUnauthorized,
    fetch: async (input, init = {}) => {
      sent.push({ path: input as string, init })
      return answer()
    },
  })
  return { client, sent, onUnauthorized }
}

const refusal = (status: number) => () =>
  Response.json({ error: { code: 'conflict', message: 'A reply is being written.' } }, { status })

async function catchError(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('every call', () => {
  it('carries the bearer token and the JSON content type, and no cookies (§7.1)', async () => {
    const { client, sent } = open(() => Response.json([1]))
    expect(await client.read('/api/bots')).toEqual([1])
    const headers = new Headers(sent[0]?.init.headers)
    expect(headers.get('authorization')).toBe('Bearer secret')
    expect(headers.get('content-type')).toBe('application/json')
    expect(sent[0]?.init.credentials).toBe('omit')
    expect(sent[0]?.path).toBe('/api/bots')
  })

  it("accepts and sends this site's cookies when the caller requests it", async () => {
    const { client, sent } = open(() => Response.json(1))
    await client.post('/a', {}, { credentials: 'same-origin' })
    await client.post('/a', {})
    expect(sent.map(({ init }) => init.credentials)).toEqual(['same-origin', 'omit'])
  })

  it('fails without a token, and sends nothing (§8.1, §6.3)', async () => {
    for (const getAccessToken of [
      async () => null,
      async () => '',
      async () => Promise.reject(new Error('offline')),
    ]) {
      const { client, sent } = open(() => Response.json(1), getAccessToken)
      for (const call of [client.read('/a'), client.post('/a', {}), client.request('/a')])
        expect(await catchError(call)).toMatchObject({ message: 'Failed to get access token' })
      expect(sent).toEqual([])
    }
  })

  it('returns undefined after a 401, and signs the user out (§8.2, §2.11)', async () => {
    const { client, onUnauthorized } = open(refusal(401))
    for (const call of [client.read, client.get, client.post, client.put, client.delete, client.request])
      expect(await call('/a')).toBeUndefined()
    expect(onUnauthorized.mock.calls).toEqual(Array.from({ length: 6 }, () => ['A reply is being written.']))
  })
})

describe('a read', () => {
  it('throws with the status attached (§8.4)', async () => {
    const { client, onUnauthorized } = open(refusal(503))
    const error = await catchError(client.read('/a'))
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      message: 'An error occurred while fetching the data.',
      status: 503,
      reason: 'A reply is being written.',
    })
    expect(onUnauthorized).not.toHaveBeenCalled()
  })
})

describe('the write helper', () => {
  it('sends get, post, put and delete with JSON bodies (§7.38)', async () => {
    const { client, sent } = open(() => Response.json({ ok: true }))
    expect(await client.get('/a')).toEqual({ ok: true })
    await client.post('/b', { n: 1 })
    await client.put('/c', [2])
    await client.delete('/d')
    expect(sent.map(({ path, init }) => [init.method, path, init.body])).toEqual([
      ['GET', '/a', undefined],
      ['POST', '/b', '{"n":1}'],
      ['PUT', '/c', '[2]'],
      ['DELETE', '/d', undefined],
    ])
  })

  it("throws an error with the status and the server's reason (§8.3)", async () => {
    const { client } = open(refusal(409))
    const error = await catchError(client.put('/a', {}))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: 'API error: 409',
      status: 409,
      code: 'conflict',
      reason: 'A reply is being written.',
    })
  })

  it('throws an error with the status when the response is not from our server (§8.3)', async () => {
    const { client } = open(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(await catchError(client.post('/a', {}))).toMatchObject({
      message: 'API error: 502',
      code: undefined,
      reason: undefined,
    })
  })

  it('accepts an empty response as a success', async () => {
    const { client } = open(() => new Response(null, { status: 204 }))
    expect(await client.delete('/a')).toBeNull()
  })
})

describe('a bare request', () => {
  it('returns the response whatever its status, and sends the given headers and signal', async () => {
    const { client, sent } = open(refusal(409))
    const { signal } = new AbortController()
    const response = await client.request('/a', {
      method: 'POST',
      body: {},
      headers: { 'Last-Event-ID': '7' },
      signal,
    })
    expect(response?.status).toBe(409)
    expect(new Headers(sent[0]?.init.headers).get('last-event-id')).toBe('7')
    expect(sent[0]?.init.signal).toBe(signal)
  })
})

describe('an upload', () => {
  const file = new Blob(['content'])
  const upload = { onProgress: () => undefined, signal: new AbortController().signal }

  function openUploads(sendFile: SendFile) {
    const onUnauthorized = vi.fn()
    const client = createApiClient({ getAccessToken: async () => 'secret', onUnauthorized, sendFile })
    return { client, onUnauthorized }
  }

  it('sends the bytes with the token and returns the answer', async () => {
    const sent = vi.fn<SendFile>(async () => Response.json({ id: 'f1' }, { status: 201 }))
    const { client } = openUploads(sent)
    expect(await client.upload('/api/files?name=a', file, upload)).toEqual({ id: 'f1' })
    const headers = { 'Content-Type': 'application/octet-stream', Authorization: 'Bearer secret' }
    expect(sent).toHaveBeenCalledExactlyOnceWith('/api/files?name=a', headers, file, upload)
  })

  it('fails like every call, and signs out after a 401', async () => {
    const refused = openUploads(async () => refusal(409)())
    expect(await catchError(refused.client.upload('/a', file, upload))).toMatchObject({
      message: 'API error: 409',
      reason: 'A reply is being written.',
    })
    const { client, onUnauthorized } = openUploads(async () => refusal(401)())
    expect(await client.upload('/a', file, upload)).toBeUndefined()
    expect(onUnauthorized).toHaveBeenCalledExactlyOnceWith('A reply is being written.')
    const cut = openUploads(async () => Promise.reject(new TypeError('Failed to fetch')))
    expect(await catchError(cut.client.upload('/a', file, upload))).toBeInstanceOf(UnreachableError)
  })
})
