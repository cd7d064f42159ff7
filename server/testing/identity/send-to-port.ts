import { sendRequest } from '../send-request.ts'

/**
 * A `fetch` that connects to this port instead of the one of the address, as a reverse proxy does. It sends forms and
 * follows no redirect.
 */
export function sendToPort(port: number): typeof fetch {
  return async (address, init = {}) => {
    const url = new URL(address instanceof Request ? address.url : address)
    const form = init.body instanceof URLSearchParams ? init.body.toString() : undefined
    const sent = await sendRequest({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: `http://localhost:${port}${url.pathname}${url.search}`,
      headers: {
        ...(init.headers as Readonly<Record<string, string>>),
        host: url.host,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { body: form }),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(sent.headers)) {
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one))
    }
    const response = new Response(sent.body, { status: sent.statusCode, headers })
    Object.defineProperty(response, 'url', { value: url.href })
    return response
  }
}
