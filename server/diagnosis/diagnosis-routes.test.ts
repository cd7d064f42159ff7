import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { freePort } from '../testing/free-port.ts'
import { testSecret } from '../testing/identity/identity-server.ts'
import { openTestApp, type TestApp } from '../testing/test-app.ts'
import { createDiagnosisUrl } from './diagnosis-link.ts'

describe.each(engines)('the stream for yonder doctor, on %s', (engine) => {
  const sealer = createSealer(testSecret)
  const clock = { offset: 0 }
  let product: TestApp
  let publicUrl: string
  beforeEach(async () => {
    clock.offset = 0
    const port = await freePort()
    publicUrl = `http://127.0.0.1:${port}`
    product = await openTestApp({
      engine,
      environment: { PUBLIC_URL: publicUrl },
      deps: { sealer, now: () => Date.now() + clock.offset },
    })
    await product.app.listen({ port, host: '127.0.0.1' })
  })
  afterEach(() => product.close())

  const createUrl = (parameter = 'a%2Fb') =>
    createDiagnosisUrl(product.database.db, sealer, { publicUrl, parameter, now: Date.now() })
  const get = (url: string) => fetch(url, { headers: { 'x-forwarded-for': '203.0.113.7', via: '1.1 proxy' } })

  it('says what arrived, in ten frames, and leaves nothing behind', async () => {
    const before = await hashTables(product.database)
    const response = await get(await createUrl())
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const [first, ...others] = (await response.text()).trim().split('\n\n')
    expect(JSON.parse(first?.slice('data: '.length) ?? '')).toEqual({
      parameter: 'a%2Fb',
      address: '127.0.0.1',
      peer: '127.0.0.1',
      forwardedFor: '203.0.113.7',
      isPeerTrusted: false,
      isProxied: true,
    })
    expect(others).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => `data: ${number}`))
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('is not found without a token of doctor, with a used one, and after a minute', async () => {
    const replaced = await createUrl()
    const url = await createUrl()
    const before = await hashTables(product.database)
    for (const wrong of ['/a', '/a?token=x', '/a?token=x&token=y'])
      expect((await get(`${publicUrl}/api/diagnosis${wrong}`)).status).toBe(404)
    expect((await get(replaced)).status).toBe(404)
    clock.offset = 60_000
    expect((await get(url)).status).toBe(404)
    expect(await hashTables(product.database)).toEqual(before)
    clock.offset = 0
    const response = await get(url)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    expect((await get(url)).status).toBe(404)
  })
})
