import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { createConsentRequest } from '../oauth/consent-request.ts'
import { syncConnectors } from '../sync-connectors.ts'
import { replacePermissions } from '../tools/change-permissions.ts'
import { refreshTools } from '../tools/refresh-tools.ts'

const user = { id: 'ada' }
const missingIntegration = 'Mail is no longer connected. Connect it again under Settings, Integrations.'

describe.each(engines)('the connector of an integration on %s', (engine) => {
  let connectors: TestConnectors
  let integrationStatus: { version: number; isConnected: boolean; callError?: string } | undefined
  let statusReads: number
  /** Returns the text of the tool's result, or throws. */
  let readMail: () => string
  let reads: number
  let description: string

  beforeEach(async () => {
    integrationStatus = { version: 1, isConnected: true }
    readMail = () => 'one mail'
    reads = 0
    statusReads = 0
    description = 'Checks for new mail'
    const createServer = () => {
      const server = new McpServer({ name: 'mail', version: '1' })
      server.registerTool('read', { description: 'Reads mail' }, () => {
        reads++
        return { content: [{ type: 'text', text: readMail() }] }
      })
      server.registerTool('peek', { description, annotations: { readOnlyHint: true } }, () => ({
        content: [],
      }))
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
            allowsReading: true,
            server: { kind: 'in_process', create: () => Promise.resolve(createServer()) },
          },
        ],
        recordFailure: () => Promise.resolve(),
        listStatuses: () => {
          statusReads++
          return Promise.resolve(
            new Map(integrationStatus === undefined ? [] : [['mail', integrationStatus]]),
          )
        },
      },
    })
    await connectors.addUser(user.id)
    await listOffered()
  })
  afterEach(() => connectors.close())

  async function listOffered(): Promise<string[]> {
    const { tools } = await connectors.listModelTools({
      user,
      apiType: 'openai',
      signal: new AbortController().signal,
      onStatus: () => undefined,
    })
    return tools.map(({ name }) => name).filter((name) => name.startsWith('mail'))
  }
  const list = () => syncConnectors(connectors.database.db, user, connectors.builtIns, Date.now())
  const call = async () =>
    connectors.callTool({
      user,
      ...(await findTarget(connectors, user, 'Mail', 'read')),
      arguments: {},
      approval: 'once',
      signal: new AbortController().signal,
    })

  const resolve = async (toolName: string) =>
    connectors.resolveTool(user, await findTarget(connectors, user, 'Mail', toolName))

  it('offers its tools, requires approval for a call, and makes it', async () => {
    expect(await listOffered()).toHaveLength(2)
    expect(await resolve('read')).toMatchObject({ kind: 'callable', decision: { kind: 'ask' } })
    expect(await call()).toMatchObject({ status: 'done', text: 'one mail' })
  })

  it('runs initial tools without approval, until the user chooses otherwise or they change', async () => {
    const mail = await requireConnector(connectors.database.db, user, 'Mail')
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', decision: { kind: 'run' } })
    description = 'Reads all your mail'
    // An open session still has the old definition.
    await connectors.closeIdle(user.id)
    await refreshTools(connectors, mail)
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', decision: { kind: 'ask_changed' } })
    await connectors.database.db
      .transaction()
      .execute((trx) =>
        replacePermissions(trx, mail, { allow_tools: [] }, { ...connectors.settings, now: Date.now }),
      )
    await refreshTools(connectors, mail)
    expect(await resolve('peek')).toMatchObject({ kind: 'callable', decision: { kind: 'ask' } })
  })

  it('still offers its tools after the consent has ended, and a call says to connect again', async () => {
    integrationStatus = { version: 1, isConnected: false }
    expect(await listOffered()).toHaveLength(2)
    expect(await resolve('read')).toEqual({
      kind: 'missing',
      reason: missingIntegration,
      needsIntegration: true,
    })
    expect(await call()).toMatchObject({ status: 'authorization_needed', text: missingIntegration })
    expect(reads).toBe(0)
    expect(await list()).toMatchObject([
      { name: 'default' },
      { status: 'failed', error_message: missingIntegration },
    ])
  })

  it('returns the reason when the consent ends during a call', async () => {
    readMail = () => {
      integrationStatus = { version: 1, isConnected: false }
      throw new Error('The connection to Mail has ended.')
    }
    expect(await call()).toMatchObject({
      status: 'authorization_needed',
      text: expect.stringContaining('The connection to Mail has ended.'),
    })
  })

  it('returns a tool error when the tool fails for another reason', async () => {
    readMail = () => {
      throw new Error('There is no such mail.')
    }
    expect(await call()).toMatchObject({ status: 'tool_error' })
  })

  it('sends the user to the integrations, and works after they have connected again', async () => {
    const mail = await requireConnector(connectors.database.db, user, 'Mail')
    integrationStatus = { version: 1, isConnected: false }
    const consent = createConsentRequest('/settings/connectors')
    await connectConnector(connectors, mail, consent)
    expect(consent.authorizationUrl?.href).toBe('http://localhost:3000/settings/integrations')
    integrationStatus = { version: 2, isConnected: true }
    expect(await list()).toMatchObject([
      { name: 'default' },
      { id: mail.id, status: 'connected', error_message: null, credential_version: 2 },
    ])
    expect(await call()).toMatchObject({ status: 'done' })
  })

  it('sends the user to the integrations when its calls fail, and reads the state once', async () => {
    const mail = await requireConnector(connectors.database.db, user, 'Mail')
    integrationStatus = { version: 1, isConnected: true, callError: 'The account is closed.' }
    const consent = createConsentRequest('/settings/connectors')
    statusReads = 0
    await connectConnector(connectors, mail, consent)
    expect(consent.authorizationUrl?.href).toBe('http://localhost:3000/settings/integrations')
    expect(statusReads).toBe(1)
  })

  it('is neither listed nor called after the user has disconnected the integration', async () => {
    integrationStatus = undefined
    expect(await call()).toMatchObject({ status: 'authorization_needed' })
    expect(await listOffered()).toEqual([])
    expect(await call()).toMatchObject({
      status: 'failed',
      text: 'The connector "Mail" was deleted before the call, so the tool was not called.',
    })
    expect(reads).toBe(0)
  })
})
