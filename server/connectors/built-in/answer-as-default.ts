import { createMcpHandler } from '@modelcontextprotocol/server'
import { createDefaultServer } from './create-default-server.ts'

type Handler = ReturnType<typeof createMcpHandler>

/** One for each clock: a test has its own. */
const handlers = new WeakMap<() => number, Handler>()

/** One request to the default connector, answered by the real server without a socket. `now` is milliseconds since 1970. */
export function answerAsDefault(request: Request, now: () => number): Promise<Response> {
  const known = handlers.get(now)
  if (known !== undefined) return known.fetch(request)
  const handler = createMcpHandler(() => createDefaultServer(now))
  handlers.set(now, handler)
  return handler.fetch(request)
}
