import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

/** A model with a small context window, which remembers only what its prompt contains. */
export interface SmallWindowModel {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** The lengths of the accepted prompts, in characters. */
  readonly accepted: readonly number[]
  /** The number of refused prompts. */
  readonly refused: number
  /** The number of summaries that it has written. */
  readonly summaries: number
  /** Replaces the text of the next summaries; undefined restores the real ones. */
  summarizeWith(text: string | undefined): void
  /** Leaves the next request after `skipped` others without a response; `held` resolves when it has arrived. */
  holdNext(skipped?: number): void
  held(): Promise<void>
  close(): Promise<void>
}

interface Message {
  readonly role: string
  readonly content: string
}

const charsPerToken = 4

interface Hold {
  isWaiting: boolean
  skipped: number
  readonly promise: Promise<void>
  readonly resolve: () => void
}

function createHold(skipped: number): Hold {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { isWaiting: true, skipped, promise, resolve: () => resolve() }
}

/**
 * Starts an OpenAI-compatible upstream that refuses prompts above `windowTokens`. It answers "What is N?" with the
 * value of the line "FACT N=value" in its prompt, and a summary keeps all such lines.
 */
export async function startSmallWindowModel(windowTokens: number): Promise<SmallWindowModel> {
  const accepted: number[] = []
  let [refused, summaries] = [0, 0]
  let replacement: string | undefined
  let hold: Hold | undefined

  function reply(prompt: string, question: string): string {
    // Only the request for a summary says this.
    if (question.includes('Summarise these messages in at most')) {
      summaries++
      return replacement ?? [...new Set(prompt.match(/FACT \w+=\w+/g) ?? [])].join('\n')
    }
    const name = /What is (\w+)\?/.exec(question)?.[1]
    const fact = name === undefined ? undefined : new RegExp(`FACT ${name}=(\\w+)`).exec(prompt)?.[1]
    return name === undefined ? 'I will remember it.' : `It is ${fact ?? 'unknown to me'}.`
  }

  function respond(response: ServerResponse, messages: readonly Message[]): void {
    const prompt = messages.map(({ content }) => content).join('\n')
    if (prompt.length / charsPerToken > windowTokens) {
      refused++
      return refuse(response, windowTokens)
    }
    accepted.push(prompt.length)
    sendText(response, reply(prompt, messages.at(-1)?.content ?? ''))
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    if (hold?.isWaiting === true && hold.skipped-- === 0) {
      hold.isWaiting = false
      hold.resolve()
    } else {
      respond(response, (JSON.parse(body) as { messages: readonly Message[] }).messages)
    }
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    accepted,
    get refused() {
      return refused
    },
    get summaries() {
      return summaries
    },
    summarizeWith: (text) => (replacement = text),
    holdNext: (skipped = 0) => (hold = createHold(skipped)),
    held: () => hold?.promise ?? Promise.reject(new Error('Nothing is held.')),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, windowTokens: number): void {
  response.writeHead(400, { 'content-type': 'application/json' })
  const message = `This model's maximum context length is ${windowTokens} tokens.`
  response.end(JSON.stringify({ error: { code: 'context_length_exceeded', message } }))
}

function sendText(response: ServerResponse, text: string): void {
  const frame = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ model: 'small', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(frame({ content: text }))
  response.end(`${frame({}, 'stop')}data: [DONE]\n\n`)
}
