import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'

/**
 * Wraps the fetch of a Streamable HTTP transport so that a request fails at once when its HTTP response has status 202
 * or is JSON without the MCP response. The SDK would wait for the MCP response until the request times out.
 */
export function requireResponses(send: GuardedFetch['fetch']): GuardedFetch['fetch'] {
  return async (input, init) => {
    const response = await send(input, init)
    if (!response.ok || init?.method !== 'POST') return response
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
    if (!isJson && response.status !== 202) return response
    const id = readRequestId(init.body)
    if (id === undefined) return response
    const text = response.status === 202 ? '' : await response.text()
    if (response.status === 202) await response.body?.cancel()
    if (!isResponseTo(id, text)) {
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'The response belongs to no request.')
    }
    const { status, headers } = response
    return new Response(text, { status, headers })
  }
}

/** Returns the id of the request in a body; undefined for a notification, a response or a batch. */
function readRequestId(body: unknown): unknown {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  return isObject(message) && 'method' in message ? message['id'] : undefined
}

/** Whether a text contains the response to a request, alone or in a batch. Invalid JSON passes: the SDK reports it. */
function isResponseTo(id: unknown, text: string): boolean {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text !== ''
  }
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  // Some servers return the number of the id as text, which the SDK accepts.
  return messages.some(
    (message) => isObject(message) && !('method' in message) && String(message['id']) === String(id),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
