import type { Message } from '@yonder/contract/message'
import type { Step } from '../models/scripted-model.ts'
import type { TestAppOptions } from '../test-app.ts'
import type { ChatClient } from './open-chat-app.ts'
import type { TestStream } from './open-stream.ts'
import { callOf, openToolApp, type ToolApp } from './open-tool-app.ts'

/** A user, Ada, with a model that calls tools. The tools of the built-in connector need no approval. */
export interface ToolScene extends ToolApp {
  readonly ada: ChatClient
  /** Sends Ada's first message in a new chat. */
  sendNew(content: string): Promise<{ readonly chatId: string; readonly stream: TestStream }>
  /** The conversation that was last sent to the model. */
  sentToModel(): ToolApp['model']['requests'][number]['body']['messages'] | undefined
}

/** Starts the app and its MCP server, signs Ada in, and allows the tools of the built-in connector. */
export async function openToolScene(options: TestAppOptions = {}): Promise<ToolScene> {
  const product = await openToolApp(options)
  const ada = await product.join('Ada')
  await ada.get('/api/mcp-servers')
  await ada.put('/api/mcp-server/default', { name: 'default', url: 'builtin://default', allow_tools: null })
  return {
    ...product,
    ada,
    async sendNew(content) {
      const chatId = await ada.newChat()
      return { chatId, stream: await ada.send(chatId, content) }
    },
    sentToModel: () => product.model.requests.at(-1)?.body.messages,
  }
}

/** The step of a scripted model that calls the calculator. */
export function calculate(expression: string, id?: string): Step {
  return callOf('default', 'calculate', { expression }, id)
}

/** The call of the newest reply. */
export function callOfReply({ run }: TestStream): Message['call'] {
  return run.messages.findLast(({ role }) => role === 'assistant')?.call
}

/** The newest result. */
export function resultOf({ run }: TestStream): Message | undefined {
  return run.messages.findLast(({ outcome }) => outcome !== undefined)
}
