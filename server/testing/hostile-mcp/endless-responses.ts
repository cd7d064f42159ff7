import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { event, onCall, onMethod, sse, type Behaviour, type Exchange } from './hostile-behaviour.ts'

/** Writes a chunk `count` times, as fast as the client reads, and then `end`. */
export function writeRepeatedly(response: ServerResponse, chunk: Buffer, count: number, end: string): void {
  let left = count
  const write = (): void => {
    while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', write)
    response.end(end)
  }
  write()
}

const megabyte = Buffer.alloc(1_024 * 1_024, 'x')

function hugeJson({ response, message }: Exchange): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(
    `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":[],"content":[{"type":"text","text":"`,
  )
  writeRepeatedly(response, megabyte, 300, '"}]}}')
}

function every(milliseconds: number, response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, milliseconds)
  response.on('close', () => clearInterval(timer))
}

/** Responses that never arrive, never end, are far too large, or end without a result. */
export const endlessResponses: Readonly<Record<string, Behaviour>> = {
  silent: { post: () => true },
  'silent-call': { post: onCall(() => undefined) },
  drip: {
    post: onCall(({ response }) => {
      sse(response)
      every(50, response, () => response.write(': still here\n\n'))
    }),
  },
  progress: {
    post: onCall(({ response, message }) => {
      sse(response)
      let progress = 0
      every(20, response, () => {
        const params = { progressToken: message.params?.['_meta']?.progressToken, progress: progress++ }
        response.write(event({ method: 'notifications/progress', params }))
      })
    }),
  },
  'ended-list': {
    post: onMethod('tools/list', ({ response }) => {
      sse(response)
      response.end(': nothing\n\n')
    }),
  },
  'huge-call': { post: onCall(hugeJson) },
  'huge-list': { post: onMethod('tools/list', hugeJson) },
  'huge-initialize': { post: onMethod('initialize', hugeJson) },
  'huge-stream': {
    post: onCall(({ response }) => {
      sse(response)
      response.write('data: "')
      writeRepeatedly(response, megabyte, 300, '"\n\n')
    }),
  },
  'announced-huge': {
    post: onCall(({ response }) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': String(300 * 1_024 * 1_024),
      })
      response.write('{')
    }),
  },
  bomb: {
    post: onCall(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(50 * 1_024 * 1_024)))
    }),
  },
  events: {
    post: onCall(({ response }) => {
      sse(response)
      writeRepeatedly(response, Buffer.from('data: {}\n\n'.repeat(10_000)), 1_000, '')
    }),
  },
  'events-named': {
    post: onCall(({ response }) => {
      sse(response)
      writeRepeatedly(
        response,
        Buffer.from(event({ method: 'notifications/message', params: {} }).repeat(2_000)),
        100,
        '',
      )
    }),
  },
  dropped: {
    post: onCall(({ response }) => {
      sse(response)
      response.write(': hello\n\n')
      setTimeout(() => response.destroy(), 50)
    }),
  },
  ended: {
    post: onCall(({ response }) => {
      sse(response)
      response.end(': nothing\n\n')
    }),
  },
  /** Ends each stream at once, and requests a reconnection after a millisecond. */
  'reconnect-storm': {
    post: onCall(({ response }) => {
      sse(response)
      response.end('retry: 1\nid: 1\ndata: \n\n')
    }),
    get: ({ response }) => {
      sse(response)
      response.end('retry: 1\nid: 1\ndata: \n\n')
      return true
    },
  },
}
