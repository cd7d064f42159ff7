import { ExactNumber } from '@yonder/contract/lib/exact-json'
import { isObject, withoutNulls, type JsonObject } from '../../lib/json-object.ts'

/**
 * Returns a message as JSON-RPC and MCP write it, because the SDK rejects whole messages for what serializers do: null
 * for an absent property, an empty list for an empty object, `error: null` beside a result. What a tool, its result or
 * an elicitation consist of stays as it is: null has a meaning there, or it is read part by part. `methods` are those of
 * the pending requests by their ids as text.
 */
export function repairMessage(message: JsonObject, methods: ReadonlyMap<string, string>): JsonObject {
  const { result, error, params, ...rest } = message
  const envelope = { ...rest, jsonrpc: '2.0' }
  if (typeof message['method'] === 'string') {
    const { id, ...notification } = envelope as JsonObject
    return { ...(id === null ? notification : envelope), ...(isObject(params) && { params: clean(params) }) }
  }
  if (error !== undefined && error !== null)
    return { ...envelope, id: findId(message['id'], methods), error: repairError(error) }
  if (!('result' in message)) return message
  return { ...envelope, result: repairResult(result, methods.get(String(message['id']))) }
}

/** An error without an id belongs to the only request that is pending. */
function findId(id: unknown, methods: ReadonlyMap<string, string>): unknown {
  const [pending, ...others] = methods.keys()
  return (id === undefined || id === null) && others.length === 0 ? (pending ?? id) : id
}

function repairError(error: unknown): JsonObject {
  const { code, message, ...rest } = isObject(error) ? clean(error) : { message: error }
  return {
    ...rest,
    code: Number.isSafeInteger(Number(code)) ? Number(code) : -32_603,
    message: typeof message === 'string' ? message : (JSON.stringify(message ?? '') ?? ''),
  }
}

function repairResult(result: unknown, method: string | undefined): unknown {
  switch (method) {
    case 'tools/list':
      return isObject(result) ? repairPage(clean(result)) : { tools: result }
    case 'tools/call':
      if (typeof result === 'number' || typeof result === 'boolean') return result
      return isObject(result) ? clean(result) : { content: result }
    case 'initialize':
      return isObject(result) ? repairInitialize(withoutNulls(result)) : result
    default:
      return withoutNulls(result ?? {})
  }
}

function repairPage({ nextCursor, ...page }: JsonObject): JsonObject {
  const isNumber = typeof nextCursor === 'number' || nextCursor instanceof ExactNumber
  const cursor = isNumber ? String(nextCursor) : nextCursor
  return typeof cursor === 'string' && cursor !== '' ? { ...page, nextCursor: cursor } : page
}

function repairInitialize({ capabilities, serverInfo, ...result }: JsonObject): JsonObject {
  const info = isObject(serverInfo) ? serverInfo : {}
  const offered = isObject(capabilities) ? Object.entries(capabilities) : []
  return {
    ...result,
    // A capability may be `true`, or an empty object that became an empty list.
    capabilities: Object.fromEntries(
      offered.flatMap(([name, value]) => (value === false ? [] : [[name, isObject(value) ? value : {}]])),
    ),
    serverInfo: { ...info, name: textOr(info['name'], 'server'), version: textOr(info['version'], '0') },
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : otherwise
}

function clean(value: JsonObject): JsonObject {
  return withoutNulls(value, 1)
}
