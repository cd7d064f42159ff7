import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import type { TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { engines } from '../../testing/database/test-database.ts'
import { allowTools } from '../tools/allow-tools.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { listOwnConnectors } from '../list-own-connectors.ts'
import { openConsentRequest } from '../oauth/consent-request.ts'
import { refreshTools } from '../tools/refresh-tools.ts'

const user = { id: 'ada' }
const waiting = 'Mail is not connected any more. Connect it again under Settings, Integrations.'

describe.each(engines)('the connector of an integration at another provider, on %s', (engine) => {
  let connectors: TestConnectors
  let integrationStatus: { version: number; isConnected: boolean } | undefined
  /** What the account says when the tool asks it. */
  let askAccount: () => string
  let asked: number
  let description: string

  beforeEach(async () => {
    integrationStatus = { version: 1, isConnected: true }
    askAccount = () => 'one mail'
    asked = 0
    description = 'Looks whether there is mail'
    const createServer = () => {
      const server = new McpServer({ name: 'mail', version: '1' })
      server.registerTool('read', { description: 'Reads mail' }, () => {
        asked++
        return { content: [{ type: 'text', text: askAccount() }] }
      })
      server.registerTool('peek', { description }, () => ({ content: [] }))
      return server
    }
    connectors = await openTestConnectors({
      engine,
      integrations: {
        connectors: [
          {
            integration: 'mail',
            name: 'Mail',
            url: 'builtin://mail',
            slug: 'mail',
            initialTools: ['peek', 'never'],
            server: { kind: 'in_process', create: () => Promise.resolve(createServer()) },
          },
        ],
        listStatuses: () =>
          Promise.resolve(new Map(integrationStatus === undefined ? [] : [['mail', integrationStatus]])),
      },
    })
    await connectors.addUser(user.id)
    await offer()
  })
  afterEach(() => connectors.close())

  async function offer(): Promise<string[]> {
    const { tools } = await connectors.listModelTools({
      user,
      apiType: 'openai',
      signal: new AbortController().signal,
      onStatus: () => undefined,
    })
    return tools.map(({ name }) => name).filter((name) => name.startsWith('mail'))
  }
  const list = () => listOwnConnectors(connectors.database.db, user, connectors.builtIns, Date.now())
  const call = () =>
    connectors.callTool({
      user,
      connectorName: 'Mail',
      toolName: 'read',
      arguments: {},
      approval: 'once',
      signal: new AbortController().signal,
    })

  const resolve = (toolName: string) => connectors.resolveTool(user, { connectorName: 'Mail', toolName })

  it('offers its tools, requests approval, and calls', async () => {
    expect(await offer()).toHaveLength(2)
    expect(await resolve('read')).toMatchObject({ kind: 'callable', consent: { kind: 'ask' } })
    expect(await call()).toMatchObject({ status: 'done', text: 'one mail' })
  })

  it('runs initial tools without approval, until the user chooses otherwise or they change (§11.2)', async () => {
    const mail = await requireConnector(connectors.database.db, user, 'Mail')
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', consent: { kind: 'run' } })
    description = 'Looks at all that is yours'
    // A session keeps the server that it began with.
    await connectors.closeIdle(user.id)
    await refreshTools(connectors, mail)
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', consent: { kind: 'ask_changed' } })
    await connectors.database.db.transaction().execute((trx) => allowTools(trx, mail, { allow_tools: [] }))
    await refreshTools(connectors, mail)
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', consent: { kind: 'ask' } })
  })

  it('whose consent has ended still offers its tools, and a call says to connect again (§11.17)', async () => {
    integrationStatus = { version: 1, isConnected: false }
    expect(await offer()).toHaveLength(2)
    expect(await resolve('read')).toEqual({ kind: 'missing', reason: waiting, needsIntegration: true })
    expect(await call()).toMatchObject({ status: 'authorization_needed', text: waiting })
    expect(asked).toBe(0)
    expect(await list()).toMatchObject([{ name: 'default' }, { status: 'failed', error_message: waiting }])
  })

  it('whose consent ends during a call returns a message about it (§11.17)', async () => {
    askAccount = () => {
      integrationStatus = { version: 1, isConnected: false }
      throw new Error('The connection to Mail has ended.')
    }
    expect(await call()).toMatchObject({
      status: 'authorization_needed',
      text: expect.stringContaining('The connection to Mail has ended.'),
    })
  })

  it('that fails otherwise returns a failed call', async () => {
    askAccount = () => {
      throw new Error('There is no such mail.')
    }
    expect(await call()).toMatchObject({ status: 'tool_error' })
  })

  it('refers to the integration, and uses the access that was granted afterwards (§11.17)', async () => {
    const mail = await requireConnector(connectors.database.db, user, 'Mail')
    integrationStatus = { version: 1, isConnected: false }
    const consent = openConsentRequest('/settings/connectors')
    await connectConnector(connectors, mail, consent)
    expect(consent.authorizationUrl?.href).toBe('http://localhost:3000/settings/integrations')
    integrationStatus = { version: 2, isConnected: true }
    expect(await list()).toMatchObject([
      { name: 'default' },
      { id: mail.id, status: 'connected', error_message: null, credential_version: 2 },
    ])
    expect(await call()).toMatchObject({ status: 'done' })
  })

  it('that the user has disconnected is not listed and not called', async () => {
    integrationStatus = undefined
    expect(await call()).toMatchObject({ status: 'authorization_needed' })
    expect(await offer()).toEqual([])
    expect(await call()).toMatchObject({ status: 'failed', text: 'There is no connector named "Mail".' })
    expect(asked).toBe(0)
  })
})
