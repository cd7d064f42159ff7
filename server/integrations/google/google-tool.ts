import type { McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { explainGoogleError } from './explain-google-error.ts'

/** `changes` overwrites or deletes what was there; `adds` only adds to it; sending is adding. */
export type ToolEffect = 'reads' | 'adds' | 'changes'

interface ToolDescription<Client, Input extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly effect: ToolEffect
  /** What the model reads. A failure at Google and a refusal (an AppError) are explained to the model. */
  readonly run: (client: Client, input: z.infer<Input>) => Promise<string>
}

export interface GoogleTool<Client> {
  readonly name: string
  readonly effect: ToolEffect
  /** `open` gives the person's client for as long as one call lasts. */
  readonly register: (server: McpServer, open: (signal: AbortSignal) => Promise<Client>) => void
}

/** A tool of one of Google's connectors. */
export function googleTool<Client, Input extends z.ZodObject>(
  tool: ToolDescription<Client, Input>,
): GoogleTool<Client> {
  const { name, title, description, effect } = tool
  const annotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'changes',
    openWorldHint: true,
  }
  return {
    name,
    effect,
    register(server, open) {
      const config = { title, description, annotations, inputSchema: tool.input as z.ZodObject }
      server.registerTool(name, config, async (input, { mcpReq: { signal } }) => {
        try {
          return answer(await tool.run(await open(signal), input as z.infer<Input>))
        } catch (error) {
          if (signal.aborted) throw error
          return { ...answer(explainGoogleError(error)), isError: true }
        }
      })
    },
  }
}

function answer(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}
