import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Characters that wait for a reader that is slower than its stream; beyond, it is let go and may come back. */
const mostBuffered = 512 * 1024
/** The same of those that go out with the headers. */
const mostFirst = 64 * 1024
/** Milliseconds that a reader may take for a piece of what it has missed. */
const longestDrain = 30_000

export interface SseOptions {
  /** The data of the line that keeps idle connections open. */
  readonly heartbeat: string
  /** Milliseconds between two of them. */
  readonly interval?: number
  /** Sees every stream that opens, before anything is written. */
  readonly onOpen?: ((request: FastifyRequest, stream: SseStream) => void) | undefined
}

/** One open answer. Everything is a no-op once it is closed. */
export interface SseStream {
  readonly closed: boolean
  /** Sends frames as they are (`sseFrame`). */
  write(frames: string): void
  /** Waits until what was written has left the process; false when the reader went or took too long. */
  drained(): Promise<boolean>
  /** Ends the answer properly, after `frames`. */
  end(frames?: string): void
  /** Called once, when the answer has ended or its reader went. */
  onClose(listener: () => void): void
}

export interface SseHub {
  /** Takes the answer over from Fastify and sends its headers. */
  open(request: FastifyRequest, reply: FastifyReply): SseStream
  /** Stops the heartbeats; streams end by themselves. */
  close(): void
}

/** A frame of the stream; with `id`, readers name it when they come back. */
export function sseFrame(data: string, id?: number): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Nginx holds back what it does not know to be a stream.
  'x-accel-buffering': 'no',
} as const

/** Server-sent events on the raw answer: frames, heartbeats, bounded buffers. One timer serves all streams. */
export function createSseHub({ heartbeat, interval = 15_000, onOpen }: SseOptions): SseHub {
  const streams = new Set<RawSseStream>()
  const beat = sseFrame(heartbeat)
  const timer = setInterval(() => {
    for (const stream of streams) stream.write(beat)
  }, interval)
  timer.unref()

  return {
    open(request, reply) {
      reply.hijack()
      const stream = new RawSseStream(reply)
      // With the frames that come at once, and after what this request asks of others, which undici sends a turn later; a
      // reader that has all so far must not wait for the next frame.
      setImmediate(() => setImmediate(() => stream.begin()))
      streams.add(stream)
      stream.onClose(() => streams.delete(stream))
      onOpen?.(request, stream)
      return stream
    },
    close: () => clearInterval(timer),
  }
}

class RawSseStream implements SseStream {
  closed = false
  readonly #reply: FastifyReply
  readonly #raw: ServerResponse
  readonly #socket: Socket
  readonly #listeners: (() => void)[] = []
  #waiting: (() => void) | undefined
  #begun = false
  /** Frames that go out with the headers. */
  #first = ''
  readonly #resume = (): void => this.#waiting?.()

  constructor(reply: FastifyReply) {
    const { raw } = reply
    this.#reply = reply
    this.#raw = raw
    this.#socket = raw.socket ?? raw.req.socket
    raw.on('close', () => this.#close())
    // A reader that resets its connection is gone, no more than that.
    raw.on('error', () => this.#close())
    if (raw.destroyed) this.#close()
  }

  write(frames: string): void {
    // Nothing, in one piece, would be the end of the answer.
    if (frames === '' || this.closed || this.#raw.writableEnded) return
    if (!this.#begun) {
      this.#first += frames
      if (this.#first.length > mostFirst) this.begin()
      return
    }
    // What is asked of a reader is that it took what came before, not that this one piece is small.
    if (this.#raw.writableLength > mostBuffered) this.#letGo()
    else this.#send(frames)
  }

  begin(): void {
    if (this.#begun || this.closed || this.#raw.writableEnded) return
    this.#socket.cork()
    this.#writeHead()
    this.#raw.flushHeaders()
    if (this.#first !== '') this.#send(this.#first)
    this.#first = ''
    this.#socket.uncork()
  }

  /** The headers are out, so frames can go to the socket in one piece; the answer would send them in three. */
  #send(frames: string): void {
    const { chunkedEncoding, socket } = this.#raw
    // An answer has no socket while one to an earlier request on the same connection is not over.
    if (chunkedEncoding && socket !== null) socket.write(toChunk(frames))
    else this.#raw.write(frames)
  }

  #writeHead(): void {
    this.#begun = true
    const headers = Object.entries({ ...this.#reply.getHeaders(), ...streamHeaders })
    this.#raw.writeHead(200, Object.fromEntries(headers.filter(([, value]) => value !== undefined)))
  }

  drained(): Promise<boolean> {
    if (this.closed) return Promise.resolve(false)
    if (!this.#socket.writableNeedDrain) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#letGo(), longestDrain)
      this.#waiting = () => {
        this.#waiting = undefined
        clearTimeout(timer)
        this.#socket.off('drain', this.#resume)
        resolve(!this.closed)
      }
      this.#socket.on('drain', this.#resume)
    })
  }

  end(frames?: string): void {
    if (this.closed || this.#raw.writableEnded) return
    if (!this.#begun) this.#writeHead()
    this.#raw.end(this.#first + (frames ?? ''))
  }

  onClose(listener: () => void): void {
    if (this.closed) listener()
    else this.#listeners.push(listener)
  }

  #letGo(): void {
    // An answer whose turn on its connection has not come ends that then, which not every Node does by itself.
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

/** A piece of an answer in HTTP's chunked encoding. */
function toChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
