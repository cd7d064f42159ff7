import type { ServerResponse } from 'node:http'
import { writeRepeatedly } from './endless-responses.ts'
import {
  event,
  json,
  onCall,
  onMethod,
  sse,
  text,
  tool,
  type Behaviour,
  type Exchange,
} from './hostile-behaviour.ts'

/** Just under the limit of a response to a call. */
const almostAll = 4 * 1_024 * 1_024 - 4_096

/** Responds to a call with a stream of the same piece, almost as long as the product accepts, and then the result. */
const stream = (piece: string, end = ''): Behaviour => ({
  post: onCall(({ response, message }) => {
    sse(response)
    const perChunk = Math.ceil(65_536 / piece.length)
    const chunk = Buffer.from(piece.repeat(perChunk))
    const result = end + event({ id: message.id, result: text('late') })
    writeRepeatedly(response, chunk, Math.floor(almostAll / chunk.length), result)
  }),
})

const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":0`).join()

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(body)
}

const resultOf = ({ message }: Exchange, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`

const manyKeys = keys(300_000)
const notification = event({ method: 'notifications/message', params: {} })

/** Responses that are cheap to send and expensive to read. */
export const floods: Readonly<Record<string, Behaviour>> = {
  'cr-events': stream('data: {}\r\r'),
  'lf-events': stream('data: {}\n\n'),
  'crlf-events': stream('data: {}\r\n\r\n'),
  'cr-lines': stream('\r', '\n'),
  'lf-lines': stream('\n'),
  comments: stream(':\n'),
  'empty-events': stream('data:\n\n'),
  notifications: stream(notification.replaceAll('\n', '\r')),
  'id-events': stream('id: 1\rdata:\r\r'),
  'one-event-of-lines': stream('data: 0\n', '\n'),
  'huge-event': {
    post: onCall(({ response, message }) => {
      sse(response)
      response.end(event({ id: message.id, result: text('y'.repeat(almostAll - 200)) }))
    }),
  },
  'many-keys': {
    post: onCall((exchange) => sendJson(exchange.response, resultOf(exchange, `{${manyKeys}}`))),
  },
  'many-keys-event': {
    post: onCall((exchange) => {
      sse(exchange.response)
      exchange.response.end(`data: ${resultOf(exchange, `{"structuredContent":{${manyKeys}}}`)}\n\n`)
    }),
  },
  escapes: {
    post: onCall((exchange) => {
      const value = '\\u0041'.repeat(almostAll / 6 - 100)
      sendJson(exchange.response, resultOf(exchange, `{"content":[{"type":"text","text":"${value}"}]}`))
    }),
  },
  'large-error': {
    post: onCall(({ response, message }) =>
      sendJson(
        response,
        `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"error":{"code":-32000,"message":"no","data":{${manyKeys}}}}`,
      ),
    ),
  },
  'large-refusal': {
    post: onCall(({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(`{${manyKeys}}`)
    }),
  },
  'large-notification': {
    post: onCall(({ response, message }) => {
      sse(response)
      const params = `{"jsonrpc":"2.0","method":"notifications/message","params":{${keys(100_000)}}}`
      response.end(`data: ${params}\n\n${event({ id: message.id, result: text('after it') })}`)
    }),
  },
  'large-elicitation': {
    post: onCall(({ response }) => {
      sse(response)
      response.write(
        event({ id: 7, method: 'elicitation/create', params: { message: 'z'.repeat(1_000_000) } }),
      )
    }),
  },
  'single-bytes': {
    post: onCall(({ response, message }) => {
      sse(response)
      const bytes = Buffer.from(event({ id: message.id, result: text('slow') }))
      const write = (at: number): void => {
        if (at === bytes.length) return void response.end()
        response.write(bytes.subarray(at, at + 1), () => setImmediate(() => write(at + 1)))
      }
      write(0)
    }),
  },
  'large-list': {
    post: onMethod('tools/list', ({ response, message }) => {
      const inputSchema = { type: 'object', properties: {}, description: 'd'.repeat(8_000) }
      json(response, message.id, {
        tools: Array.from({ length: 200 }, (_, index) =>
          tool(index === 0 ? 'act' : `t${index}`, { inputSchema }),
        ),
      })
    }),
  },
}
