import { rmSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { unknownMachine } from '../../config/machine.ts'
import { createTlsServers } from '../../http/tls-server.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { TestInstallation } from '../../testing/doctor/installation.ts'
import { startProxy, type ProxyFaults } from '../../testing/doctor/start-proxy.ts'
import { freePort } from '../../testing/free-port.ts'
import { openTestApp } from '../../testing/test-app.ts'
import { openTls } from '../../tls/open-tls.ts'

describe('yonder doctor and a proxy', () => {
  const installation = new TestInstallation('sqlite')
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
  })

  /** Starts a server with a proxy, and returns what doctor complains about. */
  async function diagnose(faults: ProxyFaults, settings: Record<string, string> = {}) {
    const port = await freePort()
    const environment = { ...installation.settings, PUBLIC_URL: `http://localhost:${port}`, ...settings }
    const product = await openTestApp({
      database: installation.database,
      environment,
      deps: { sealer: installation.sealer },
    })
    opened.push(product)
    const serverPort = Number(installation.settings['PORT'])
    await product.app.listen({ port: serverPort, host: '127.0.0.1' })
    // As if doctor ran on another machine than the proxy.
    opened.push(await startProxy({ port, serverPort, clientAddress: '198.51.100.1' }, faults))
    const before = await hashTables(installation.database)
    const diagnosis = await installation.diagnose(environment)
    expect(await hashTables(installation.database)).toEqual(before)
    return diagnosis
  }

  const trusted = { TRUSTED_PROXIES: '127.0.0.1' }

  it('finds nothing when the proxy changes nothing', async () => {
    const { code, complaints, findings } = await diagnose({}, trusted)
    expect(complaints).toEqual([])
    expect(findings).toContainEqual({
      check: 'addresses',
      status: 'ok',
      message: expect.stringContaining('A server of Yonder runs on port'),
    })
    expect(findings).toContainEqual({
      check: 'proxy',
      status: 'ok',
      message: expect.stringContaining('arrive unchanged, and streams are not buffered'),
    })
    expect(code).toBe(0)
  })

  it.each<[string, ProxyFaults, Record<string, string>, 'problem' | 'warning', string]>([
    ['replaces the host', { replacesHost: true }, trusted, 'problem', 'does not pass on the Host header'],
    ['decodes paths', { decodesPaths: true }, trusted, 'problem', 'it made "a/b" of "a%2Fb"'],
    [
      'redirects to another address',
      { redirectsTo: 'https://www.chat.example' },
      trusted,
      'problem',
      'redirects: The server redirects to another address (https://www.chat.example)',
    ],
    ['buffers streams', { buffers: true }, trusted, 'problem', 'The proxy buffers streams'],
    ['is not trusted', {}, {}, 'warning', 'Set TRUSTED_PROXIES=127.0.0.1'],
    ['removes the address', { forwardedFor: 'removed' }, trusted, 'warning', 'does not send X-Forwarded-For'],
    [
      'passes on any address',
      { forwardedFor: 'kept' },
      trusted,
      'problem',
      'A client can choose its address',
    ],
  ])('names a proxy that %s', async (_name, faults, settings, status, message) => {
    const { code, complaints } = await diagnose(faults, settings)
    expect(complaints).toEqual([expect.stringMatching(new RegExp(`^${status}, proxy: `))])
    expect(complaints[0]).toContain(message)
    expect(code).toBe(status === 'problem' ? 1 : 0)
  })

  it('names a public address that cannot be reached', async () => {
    const { code, complaints } = await diagnose({}, { PUBLIC_URL: `http://localhost:${await freePort()}` })
    expect(complaints).toEqual([
      expect.stringMatching(/^problem, proxy: .* cannot be reached from this machine/),
    ])
    expect(code).toBe(1)
  })

  it('accepts the certificate that TLS=local has made', async () => {
    const { PORT = '' } = installation.settings
    const environment = { ...installation.settings, TLS: 'local', PUBLIC_URL: `https://localhost:${PORT}` }
    const tls = await openTls({
      config: parseConfig(environment),
      readMachine: () => unknownMachine,
      now: Date.now,
    })
    if (tls === null) throw new Error('TLS is off')
    const product = await openTestApp({
      database: installation.database,
      environment,
      deps: { sealer: installation.sealer, tls: { ...tls, servers: createTlsServers(tls.credentials) } },
    })
    opened.push(product)
    await product.app.listen({ port: Number(PORT), host: '127.0.0.1' })
    expect((await installation.diagnose(environment)).complaints).toEqual([])
    rmSync(installation.path('tls/ca.crt'))
    expect((await installation.diagnose(environment)).complaints).toEqual([
      expect.stringMatching(/^problem, proxy: The certificate of https:\/\/localhost:\d+ is not accepted/),
    ])
  })
})
