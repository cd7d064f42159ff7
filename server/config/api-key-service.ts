import { authTypeOf, integrationOfService } from '@yonder/contract/integration-names'
import { z } from 'zod'
import { strictFields } from './setting-values.ts'

/** Capitals are kept as the operator writes them. */
const serviceName = z
  .string()
  .regex(
    /^[a-zA-Z0-9](?:[a-zA-Z0-9 _-]{0,58}[a-zA-Z0-9])?$/,
    'must be up to 60 letters and digits, with spaces, hyphens or underscores between them',
  )
  .refine(
    (name) => authTypeOf(integrationOfService(name)) === 'api_key' && name.toLowerCase() !== 'default',
    'is reserved by Yonder; choose another name',
  )

/** A hosted MCP server that users connect with their own API key. */
const ApiKeyService = strictFields({
  name: serviceName,
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  /** The header that carries the key. */
  header: z
    .string()
    .regex(/^[a-zA-Z0-9-_]+$/, 'must be the name of a header')
    .default('Authorization'),
  /** A word before the key in the header: by default `Bearer` in `Authorization`, and none in other headers. */
  scheme: z
    .string()
    .regex(/^[a-zA-Z0-9-]*$/, 'must be one word')
    .optional(),
})

/** No two services have the same name or address. */
export const ApiKeyServices = z
  .array(ApiKeyService)
  .superRefine((services, context) => {
    for (const [index, service] of services.entries()) {
      for (const field of ['name', 'url'] as const) {
        const value = service[field].toLowerCase()
        if (services.findIndex((other) => other[field].toLowerCase() === value) === index) continue
        context.addIssue({
          code: 'custom',
          path: [index, field],
          message: `occurs twice: "${service[field]}"`,
        })
      }
    }
  })
  .transform((services) =>
    services.map(({ scheme, ...service }) => ({
      ...service,
      scheme: scheme ?? defaultScheme(service.header),
    })),
  )

function defaultScheme(header: string): string {
  return header.toLowerCase() === 'authorization' ? 'Bearer' : ''
}

export type ApiKeyService = z.infer<typeof ApiKeyServices>[number]

/** The services when `API_KEY_SERVICES` is not set: search, reading of pages, documentation, code. */
export const defaultApiKeyServices: readonly ApiKeyService[] = ApiKeyServices.parse([
  { name: 'tavily', url: 'https://mcp.tavily.com/mcp/' },
  { name: 'exa', url: 'https://mcp.exa.ai/mcp', header: 'x-api-key' },
  { name: 'firecrawl', url: 'https://mcp.firecrawl.dev/v2/mcp' },
  { name: 'jina', url: 'https://mcp.jina.ai/v1' },
  { name: 'context7', url: 'https://mcp.context7.com/mcp', header: 'CONTEXT7_API_KEY' },
  { name: 'GitHub', url: 'https://api.githubcopilot.com/mcp/' },
])
