import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { restarting } from './shutdown.ts'

/** Bytes that may wait for a slow client. A client with more is disconnected and may reconnect. */
const maxBufferedBytes = 512 * 1024
/** Characters that are held back to be sent together with the headers. */
const maxFirstChars = 64 * 1024
/** Milliseconds that a client may take to read what was written. */
const maxDrainMs = 30_000
/** Open streams of a user in one hub, beyond which `checkLimit` throws. Each kind of stream has a hub. */
const maxStreamsPerUser = 50

export interface SseOptions {
  /** The data of the line that keeps idle connections open. */
  readonly heartbeat: string
  /** Milliseconds between two heartbeats. */
  readonly intervalMs?: number
  /** Called for each new stream, before anything is written. */
  readonly onOpen?: ((request: FastifyRequest, stream: SseStream) => void) | undefined
  /** Identifies the user of a request, whose open streams are counted. */
  readonly keyOf: (request: FastifyRequest) => string
}

export type SseHub = ReturnType<typeof createSseHub>

/** A frame of the stream. Clients send the `id` of their last frame when they reconnect. */
export function sseFrame(data: string, id?: number): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`
}

/** Asks an `EventSource` to reconnect after so many milliseconds. Our pages reconnect at once. */
const reconnectFrame = 'retry: 100\n\n'

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Nginx buffers responses without this header.
  'x-accel-buffering': 'no',
} as const

/** Server-sent events on the raw response: frames, heartbeats, bounded buffers. One timer serves all streams. */
export function createSseHub({ heartbeat, intervalMs = 15_000, onOpen, keyOf }: SseOptions) {
  /** The open streams, each with its user. */
  const streams = new Map<SseStream, string>()
  /** Those that only follow something, and that any node can serve: the responses to GET requests. */
  const followers = new Set<SseStream>()
  let isHandedOver = false
  const heartbeatFrame = sseFrame(heartbeat)
  const timer = setInterval(() => {
    for (const stream of streams.keys()) stream.write(heartbeatFrame)
  }, intervalMs)
  timer.unref()

  return {
    /**
     * Must be called before a stream is opened for a reply that exists already, or for live updates. The stream
     * of a new reply is limited by the rate of messages.
     * @throws AppError `rate_limited` when the user has too many open streams, `restarting` after `handOver`
     */
    checkLimit(request: FastifyRequest): void {
      if (isHandedOver) throw restarting()
      const key = keyOf(request)
      if ([...streams.values()].filter((user) => user === key).length < maxStreamsPerUser) return
      throw new AppError(
        'rate_limited',
        'Yonder is open in too many tabs or on too many devices. Close some of them.',
      )
    },
    /** Takes the response over from Fastify. Its headers are sent with the first frames, or soon when there are none. */
    open(request: FastifyRequest, reply: FastifyReply): SseStream {
      reply.hijack()
      const stream = new SseStream(reply)
      // After two turns of the event loop, so that the request to the model, which undici sends in the next one, goes
      // first, and the first frames are sent together with the headers. Without frames, the headers are sent alone, so
      // that the client sees the stream open.
      setImmediate(() => setImmediate(() => stream.begin()))
      streams.set(stream, keyOf(request))
      if (request.method === 'GET') followers.add(stream)
      stream.onClose(() => {
        streams.delete(stream)
        followers.delete(stream)
      })
      onOpen?.(request, stream)
      return stream
    },
    /** The number of open streams that only follow something. */
    get followers(): number {
      return followers.size
    },
    /** Ends the streams that only follow something, and refuses further ones, so that clients go to another node. */
    handOver(): void {
      isHandedOver = true
      for (const stream of followers) stream.end(reconnectFrame)
    },
    /** Stops the heartbeats. It does not end the streams. */
    close: () => clearInterval(timer),
  }
}

/** One open response. Nothing is sent once it is closed. */
export class SseStream {
  closed = false
  readonly #reply: FastifyReply
  readonly #raw: ServerResponse
  readonly #listeners: (() => void)[] = []
  #onDrained: (() => void) | undefined
  #headersSent = false
  /** Frames that are sent together with the headers. */
  #firstFrames = ''
  readonly #resume = (): void => this.#onDrained?.()

  constructor(reply: FastifyReply) {
    const { raw } = reply
    this.#reply = reply
    this.#raw = raw
    raw.on('close', () => this.#close())
    // A connection reset is an ordinary disconnect.
    raw.on('error', () => this.#close())
    if (raw.destroyed) this.#close()
  }

  /** Sends text that consists of frames already (`sseFrame`). */
  write(frames: string): void {
    // An empty chunk would end the response.
    if (frames === '' || this.closed || this.#raw.writableEnded) return
    if (!this.#headersSent) {
      this.#firstFrames += frames
      if (this.#firstFrames.length > maxFirstChars) this.begin()
      return
    }
    // The limit applies to what the client has not read, not to the size of this write.
    if (this.#raw.writableLength > maxBufferedBytes) this.#disconnect()
    else this.#raw.write(frames)
  }

  /** Sends the headers, with the frames that are there. */
  begin(): void {
    if (this.#headersSent || this.closed || this.#raw.writableEnded) return
    this.#writeHead()
    // Written by themselves, so that V8 stores the header as one text: as the pieces that it was made of, which Node keeps
    // as long as the stream is open, it takes twice the memory. Both are sent together.
    this.#raw.cork()
    this.#raw.flushHeaders()
    if (this.#firstFrames !== '') this.#raw.write(this.#firstFrames)
    this.#raw.uncork()
    this.#firstFrames = ''
  }

  #writeHead(): void {
    this.#headersSent = true
    const headers = Object.entries({ ...this.#reply.getHeaders(), ...streamHeaders })
    this.#raw.writeHead(200, Object.fromEntries(headers.filter(([, value]) => value !== undefined)))
  }

  /** Waits while the socket's buffer is full. Resolves with false when the client disconnected or took too long. */
  drained(): Promise<boolean> {
    if (this.closed) return Promise.resolve(false)
    if (!this.#raw.writableNeedDrain) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#disconnect(), maxDrainMs)
      this.#onDrained = () => {
        this.#onDrained = undefined
        clearTimeout(timer)
        this.#raw.off('drain', this.#resume)
        resolve(!this.closed)
      }
      this.#raw.on('drain', this.#resume)
    })
  }

  /** Ends the response properly, after `frames`. */
  end(frames?: string): void {
    if (this.closed || this.#raw.writableEnded) return
    if (!this.#headersSent) this.#writeHead()
    this.#raw.end(this.#firstFrames + (frames ?? ''))
  }

  /** Calls the listener once: when the response has ended or its client disconnected, or now if that has happened. */
  onClose(listener: () => void): void {
    if (this.closed) listener()
    else this.#listeners.push(listener)
  }

  #disconnect(): void {
    // A response without a socket must close the connection once it gets one. Some versions of Node do not do that.
    if (this.#raw.socket === null) this.#raw.once('socket', (socket: Socket) => socket.destroy())
    this.#raw.destroy()
    this.#close()
  }

  #close(): void {
    if (this.closed) return
    this.closed = true
    this.#resume()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
