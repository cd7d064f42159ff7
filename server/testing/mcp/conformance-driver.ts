import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConnectResult, ConnectorList, type Connector } from '@yonder/contract/connector'
import type { Elicitation } from '@yonder/contract/elicitation'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { parseDefinition } from '../../connectors/tools/tool-store.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../chat/open-chat-app.ts'
import type { TestStream } from '../chat/open-stream.ts'
import { callOf, waitingCall } from '../chat/open-tool-app.ts'

/** A scenario of the suite, as `conformance/adapter.mjs` sends it. */
interface Scenario {
  readonly url: string
  readonly scenario: string
  readonly context: Readonly<Record<string, unknown>>
}

export interface ConformanceDriver {
  /** The address to which `conformance/adapter.mjs` sends its scenario. */
  readonly control: string
  close(): Promise<void>
}

/** The number of prompts so far. It makes each prompt unique, so that it selects its own scripted reply. */
let prompts = 0

/** Limits the attempts to connect, and to call a tool. */
const maxAttempts = 5

/**
 * Acts as a user for each scenario: adds a connector for the suite's server, connects it, grants every consent, and
 * chats with a model that calls every tool, approving each call.
 */
export async function startConformanceDriver(): Promise<ConformanceDriver> {
  const test = await openChatApp({
    environment: {
      ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*,localhost:*',
      CONNECTOR_CLIENT_METADATA_URL: 'https://conformance-test.local/client-metadata.json',
    },
  })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const scenario = JSON.parse(Buffer.concat(chunks).toString()) as Scenario
      new SimulatedUser(test, scenario).run().then(
        (log) => response.end(log),
        (error: unknown) => {
          response.statusCode = 500
          response.end(error instanceof Error ? error.stack : String(error))
        },
      )
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    control: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await test.close()
    },
  }
}

class SimulatedUser {
  readonly #test: ChatApp
  readonly #scenario: Scenario
  readonly #log: string[] = []
  #client: ChatClient | undefined
  #cookie = ''

  constructor(test: ChatApp, scenario: Scenario) {
    this.#test = test
    this.#scenario = scenario
  }

  async run(): Promise<string> {
    this.#client = await this.#test.join(this.#scenario.scenario)
    const { client_id, client_secret } = this.#scenario.context
    await this.#client.post('/api/mcp-server', {
      name: 'suite',
      url: this.#scenario.url,
      client_id,
      client_secret,
      allow_tools: [],
    })
    if (await this.#connect()) await this.#callAll()
    // The suite's server ends when no client is connected any more.
    await this.#client.post('/api/mcp-server/suite/disconnect')
    return this.#log.join('\n')
  }

  /**
   * Connects the connector, confirms the addresses of its authorization server, and grants each consent that it
   * requires. Returns whether the connector is connected.
   */
  async #connect(): Promise<boolean> {
    let confirmedOrigins: readonly string[] = []
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const response = await this.#send('POST', '/api/mcp-server/suite/connect', {
        confirmed_origins: confirmedOrigins,
      })
      if (response.statusCode !== 200) {
        this.#record(`connect: ${response.statusCode} ${response.body}`)
        return false
      }
      const { authorization_url, origins_to_confirm = [] } = ConnectResult.parse(response.json())
      confirmedOrigins = origins_to_confirm
      if (origins_to_confirm.length > 0) continue
      if (authorization_url === null) return true
      const outcome = await this.#consent(authorization_url)
      this.#record(`consent: ${outcome}`)
      if (outcome === 'connected') return true
    }
    return false
  }

  /** Follows the redirects of the authorization server back to the product. Returns the outcome that it reports. */
  async #consent(address: string): Promise<string | null> {
    let at = address
    for (let redirect = 0; redirect < 10; redirect++) {
      const response = await fetch(at, { redirect: 'manual' })
      await response.body?.cancel()
      const next = new URL(response.headers.get('location') ?? '', at)
      if (next.pathname === '/api/connector-oauth/callback') {
        const back = await this.#send('GET', `${next.pathname}${next.search}`)
        const home = back.headers.location
        if (home === undefined) throw new Error(`The return address failed: ${back.body}`)
        return new URL(home).searchParams.get('authorization')
      }
      at = next.href
    }
    throw new Error('The authorization server never redirected back.')
  }

  async #callAll(): Promise<void> {
    const connector = await this.#findConnector()
    for (const tool of connector.tools) {
      if (tool.problem !== null) continue
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const result = await this.#call(tool.name)
        const outcome = result?.outcome?.status ?? 'nothing'
        this.#record(`${tool.name}: ${outcome} ${textOfContent(result?.content ?? '').slice(0, 200)}`)
        if (outcome !== 'authorization_needed' || !(await this.#connect())) break
      }
    }
  }

  /**
   * Makes the model call a tool, approves the call and answers its elicitations. Returns the message with the result.
   */
  async #call(tool: string): Promise<Message | undefined> {
    const client = this.#requireClient()
    const prompt = `Use ${tool}, number ${++prompts}.`
    this.#test.model.when(prompt, [callOf('suite', tool, await this.#fillArguments(tool))])
    const chatId = await client.newChat()
    const stream = await client.send(chatId, prompt)
    await stream.ended
    const confirmed = await client.confirm(waitingCall(chatId, stream))
    const answered = new Set<string>()
    // The stream ends with the next call of the same tool, which needs approval again.
    for (let ended = false; !ended;) {
      ended = await confirmed
        .until(({ run }) => findPendingElicitation(run, answered) !== undefined)
        .then(
          () => false,
          () => true,
        )
      const found = findPendingElicitation(confirmed.run, answered)
      if (found === undefined) continue
      answered.add(found.question.id)
      await client.post('/api/tool/answer', {
        chatId,
        messageId: found.messageId,
        questionId: found.question.id,
        answer: { action: 'accept', content: acceptDefaults(found.question) },
      })
    }
    return confirmed.run.messages.find(({ outcome }) => outcome !== undefined)
  }

  async #findConnector(): Promise<Connector> {
    const list = ConnectorList.parse((await this.#requireClient().get('/api/mcp-servers')).json())
    const connector = list.find(({ name }) => name === 'suite')
    if (connector === undefined) throw new Error('The connector does not exist.')
    this.#record(`status: ${connector.status} ${connector.error_message ?? ''} ${connector.notice ?? ''}`)
    return connector
  }

  /** The arguments that the suite expects, or some that match the schema. */
  async #fillArguments(tool: string): Promise<Record<string, unknown>> {
    const calls = this.#scenario.context['toolCalls']
    const expected = Array.isArray(calls)
      ? (calls as { name?: string; arguments?: Record<string, unknown> }[]).find(({ name }) => name === tool)
      : undefined
    if (expected !== undefined) return expected.arguments ?? {}
    const row = await this.#test.database.db
      .selectFrom('connector_tools')
      .innerJoin('connectors', 'connectors.id', 'connector_tools.connector_id')
      .select('connector_tools.definition')
      .where('connectors.user_id', '=', this.#requireClient().user.id)
      .where('connector_tools.name', '=', tool)
      .executeTakeFirstOrThrow()
    const { inputSchema } = parseDefinition(row.definition)
    const properties = Object.entries((inputSchema['properties'] ?? {}) as Record<string, { type?: string }>)
    return Object.fromEntries(properties.map(([name, { type }]) => [name, sample(type)]))
  }

  async #send(method: 'GET' | 'POST', url: string, payload?: object) {
    const headers = {
      ...this.#requireClient().headers,
      ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
    }
    const response = await this.#test.app.inject({
      method,
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    const [set] = [response.headers['set-cookie']].flat()
    if (set !== undefined) this.#cookie = set.split(';')[0] ?? ''
    return response
  }

  #requireClient(): ChatClient {
    if (this.#client === undefined) throw new Error('No user has signed in.')
    return this.#client
  }

  #record(line: string): void {
    this.#log.push(line)
  }
}

/** Returns the first elicitation whose id is not in `answered`, if any. */
function findPendingElicitation({ messages }: TestStream['run'], answered: ReadonlySet<string>) {
  for (const { id, call } of messages) {
    if (call?.question !== undefined && !answered.has(call.question.id)) {
      return { messageId: id, question: call.question }
    }
  }
  return undefined
}

function sample(type: string | undefined): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return 7
    case 'boolean':
      return true
    case 'object':
      return {}
    case 'array':
      return []
    default:
      return 'text'
  }
}

function acceptDefaults({ fields }: Elicitation): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    fields.flatMap((field): [string, string | number | boolean | string[]][] => {
      if (field.kind === 'choice') {
        const [first] = field.value
        if (field.many) return [[field.name, [...field.value]]]
        return first === undefined ? [] : [[field.name, first]]
      }
      return field.value === null ? [] : [[field.name, field.value]]
    }),
  )
}
