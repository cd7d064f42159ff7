import type { ToolConfirmRequest } from '@yonder/contract/completion'
import { startHostileServer, type HostileServer } from '../hostile-mcp/start-hostile-server.ts'
import type { Step } from '../models/scripted-model.ts'
import type { TestAppOptions } from '../test-app.ts'
import { botName, openChatApp, type ChatApp, type ChatClient } from './open-chat-app.ts'
import type { TestStream } from './open-stream.ts'

export interface ToolApp extends ChatApp {
  /** The MCP server that `connect` connects to. It has an address for each behaviour. */
  readonly mcpServer: HostileServer
  /** Creates a connected connector of this name and behaviour for a user. */
  connect(
    client: ChatClient,
    behaviour: string,
    options?: { readonly name?: string; readonly allow_tools?: readonly string[] | null },
  ): Promise<void>
  /** How often tools of a behaviour were called. */
  countCalls(behaviour: string): Promise<number>
  /** The record of the user's calls, the oldest first. */
  listRecords(client: ChatClient): Promise<{ tool: string; approval: string; outcome: string }[]>
}

/** Starts an app, and an MCP server that can misbehave, to which its users can connect. */
export async function openToolApp(options: TestAppOptions = {}): Promise<ToolApp> {
  const [product, mcpServer] = await Promise.all([openChatApp(options), startHostileServer()])
  return {
    ...product,
    mcpServer,
    async connect(client, behaviour, { name = behaviour, allow_tools = [] } = {}) {
      const url = mcpServer.url(behaviour)
      await client.post('/api/mcp-server', { name, url, allow_tools })
      const response = await client.post(`/api/mcp-server/${name}/connect`)
      if (response.statusCode !== 200) throw new Error(`${name} is not connected: ${response.body}`)
    },
    countCalls: async (behaviour) =>
      (await mcpServer.seen(behaviour)).filter(({ rpc }) => rpc === 'tools/call').length,
    listRecords: ({ user }) =>
      product.database.db
        .selectFrom('tool_calls')
        .select(['tool', 'approval', 'outcome'])
        .where('user_id', '=', user.id)
        .orderBy('started_at')
        .orderBy('id')
        .execute(),
    async close() {
      await product.close()
      await mcpServer.close()
    },
  }
}

/** The step of a scripted model that calls a tool of a connector. */
export function callOf(connector: string, tool: string, args: object = {}, id?: string): Step {
  const call = { name: `${connector.replaceAll('-', '_')}__${tool}`, arguments: JSON.stringify(args) }
  return { toolCall: id === undefined ? call : { id, ...call } }
}

/** The call of a stream's last reply, which needs approval, as the request that allows it. */
export function waitingCall(chatId: string, { run }: TestStream): ToolConfirmRequest {
  const reply = run.messages.at(-1)
  if (reply?.call?.state !== 'waiting')
    throw new Error(`The last reply has no call that needs approval: ${JSON.stringify(reply)}`)
  const { server = '', tool = '', arguments: args = '', id } = reply
  return { botName, server, tool, args, chatId, messageId: id }
}
