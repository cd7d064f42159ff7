import { z } from 'zod'

const content = z
  .union([z.string(), z.null(), z.array(z.object({ text: z.string().optional() }))])
  .optional()
  .transform((value) =>
    typeof value === 'string' ? value : (value ?? []).map((part) => part.text ?? '').join(''),
  )

const DemoRequest = z.object({
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant', 'tool']), content })).min(1),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          parameters: z.object({ properties: z.record(z.string(), z.unknown()).optional() }).optional(),
        }),
      }),
    )
    .optional(),
  stream: z.boolean().optional(),
  max_tokens: z.number().nullish(),
})

export interface DemoMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
}

export interface DemoTool {
  readonly name: string
  /** The names of its arguments. */
  readonly parameters: readonly string[]
}

export interface DemoRequest {
  readonly messages: readonly DemoMessage[]
  readonly tools: readonly DemoTool[]
  readonly stream: boolean
  /** `Infinity` when the request has no limit. */
  readonly maxTokens: number
}

/** Parses a chat completion request; `undefined` when it is not one. */
export function readDemoRequest(body: string): DemoRequest | undefined {
  const parsed = DemoRequest.safeParse(parse(body))
  if (!parsed.success) return undefined
  const { messages, tools = [], stream = false, max_tokens: maxTokens } = parsed.data
  return {
    messages,
    tools: tools.map((tool) => ({
      name: tool.function.name,
      parameters: Object.keys(tool.function.parameters?.properties ?? {}),
    })),
    stream,
    maxTokens: maxTokens ?? Number.POSITIVE_INFINITY,
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
