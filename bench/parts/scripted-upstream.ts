import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tokenMark } from './bench-messages.ts'

/* An OpenAI-compatible upstream as a process. Its chunks are prepared in advance. */

const chunk = (text: string): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, delta: { content: text }, finish_reason: null }],
  })}\n\n`

const chunks = Array.from({ length: 100 }, (_, index) => chunk(`${tokenMark}word${index % 10} `))
/** Chunks that a burst writes at once, like a fast upstream in one packet. */
const burstSize = 20
/** The pause after the first token of an `instant` model. Short, because CPUs would sleep during a longer pause. */
const otherTokensDelayMs = 2
const end = `data: ${JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  model: 'bench',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    const [mode, ...numbers] = (JSON.parse(body) as { model: string }).model.split('-')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (mode === 'burst') sendBurst(response, Number(numbers[0]))
    else if (mode === 'instant') sendInstant(response, Number(numbers[0]))
    else sendPaced(response, Number(numbers[0]), Number(numbers[1]))
  })
})

function sendBurst(response: ServerResponse, tokens: number): void {
  let sent = 0
  const writeMore = (): void => {
    while (sent < tokens) {
      const size = Math.min(burstSize, tokens - sent)
      sent += size
      if (!response.write(chunks.slice(0, size).join(''))) {
        response.once('drain', writeMore)
        return
      }
    }
    response.end(end)
  }
  writeMore()
}

function sendInstant(response: ServerResponse, tokens: number): void {
  response.write(chunks[0])
  setTimeout(() => sendBurst(response, tokens - 1), otherTokensDelayMs)
}

function sendPaced(response: ServerResponse, perSecond: number, tokens: number): void {
  let sent = 0
  const timer = setInterval(() => {
    response.write(chunks[sent % chunks.length])
    if (++sent < tokens) return
    clearInterval(timer)
    response.end(end)
  }, 1000 / perSecond)
  response.on('close', () => clearInterval(timer))
}

// Never closes an idle connection: the bare relay could be sending its next request on it.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
