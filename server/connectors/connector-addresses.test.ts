import { afterEach, describe, expect, it } from 'vitest'
import type { Lookup } from '../http/outgoing/guarded-connector.ts'
import { startHostileServer, type HostileServer } from '../testing/hostile-mcp/start-hostile-server.ts'
import { findTarget } from '../testing/mcp/find-target.ts'
import { startOAuthMcpServer } from '../testing/mcp/oauth-mcp-server.ts'
import {
  openTestConnectors,
  type TestConnectors,
  type TestConnectorsOptions,
} from '../testing/mcp/open-test-connectors.ts'
import { callTool } from './calls/call-tool.ts'

let connectors: TestConnectors
let server: HostileServer

afterEach(async () => {
  await connectors.close()
  await server.close()
})

async function open(options: TestConnectorsOptions): Promise<string> {
  server = await startHostileServer()
  connectors = await openTestConnectors(options)
  await connectors.addUser('ada')
  return new URL(server.origin).port
}

/** Options with which every host name resolves to `address`. */
const resolveTo = (address: string) => ({
  socket: {
    lookup: ((_host, _options, callback) => callback(null, [{ address, family: 4 }])) satisfies Lookup,
  },
})

describe('the address of a connector', () => {
  it('is not called when it resolves to a private address after it was saved', async () => {
    const port = await open(resolveTo('127.0.0.1'))
    await connectors.connect('ada', { name: 'moving', url: `http://moving.example:${port}/polite/mcp` })
    const restarted = await openTestConnectors({ database: connectors.database, ...resolveTo('10.0.0.1') })
    const outcome = await callTool(restarted, {
      user: { id: 'ada' },
      ...(await findTarget(restarted, { id: 'ada' }, 'moving', 'act')),
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(5_000),
    })
    expect(outcome).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('ALLOWED_PRIVATE_HOSTS') as string,
    })
    await restarted.close()
  })

  it('is refused on the local machine when other machines can reach Yonder, unless the operator allows it', async () => {
    const port = await open({ policy: { isLoopbackInstallation: false } })
    const url = `http://127.0.0.1:${port}/polite/mcp`
    await expect(connectors.connect('ada', { url })).rejects.toMatchObject({ code: 'address_refused' })
    expect(await server.seen('polite')).toEqual([])
    const allowed = await openTestConnectors({
      database: connectors.database,
      policy: { isLoopbackInstallation: false, allowedPrivateHosts: [`127.0.0.1:${port}`] },
    })
    await allowed.connect('ada', { name: 'allowed', url })
    await allowed.close()
  })

  it('is refused when it has the port of Yonder itself, also on the local machine', async () => {
    const port = await open({})
    const guarded = await openTestConnectors({
      database: connectors.database,
      policy: { ownPorts: [Number(port)] },
    })
    await expect(
      guarded.connect('ada', { url: `http://127.0.0.1:${port}/polite/mcp` }),
    ).rejects.toMatchObject({ code: 'address_refused' })
    expect(await server.seen('polite')).toEqual([])
    await guarded.close()
  })

  it.each([
    'http://2130706433',
    'http://0x7f.1',
    'http://[::ffff:127.0.0.1]',
    'http://[64:ff9b::7f00:1]',
    'http://①②⑦.⓪.⓪.①',
    'http://localhost',
  ])(
    'is refused when it is an obscured loopback address (%s) and other machines can reach Yonder',
    async (origin) => {
      const port = await open({ policy: { isLoopbackInstallation: false } })
      await expect(connectors.connect('ada', { url: `${origin}:${port}/polite/mcp` })).rejects.toMatchObject({
        code: 'address_refused',
      })
      expect(await server.seen('polite')).toEqual([])
    },
  )

  it('is refused when its consent page is on the local machine but Yonder is not', async () => {
    await open({})
    const guarded = await startOAuthMcpServer()
    const hosted = await openTestConnectors({
      database: connectors.database,
      publicUrl: 'https://chat.example',
    })
    await expect(hosted.connect('ada', { name: 'local', url: guarded.url })).rejects.toMatchObject({
      code: 'address_refused',
      message:
        'The sign-in page of the authorization server has no HTTPS address, so it was not opened. Ask those who run that server to correct it.',
    })
    const { db } = connectors.database
    expect(await db.selectFrom('connector_consents').selectAll().execute()).toEqual([])
    await hosted.close()
    await guarded.close()
  })
})
