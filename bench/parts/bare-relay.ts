import { Agent, createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SqliteFile } from '../../server/db/dialects/sqlite-file.ts'

/*
 * The baseline: a raw handler that parses each event of the upstream, forwards it, and writes the final text to SQLite.
 * It has no sign-in, no log, no event numbers, and no second reader.
 */

const [upstream = '', path = ''] = process.argv.slice(2)
const file = new SqliteFile(path)
file.pragma('journal_mode = WAL')
file.pragma('synchronous = FULL')
file.exec('create table replies (text text not null)')
const insert = file.prepare('insert into replies (text) values (?)')
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

const server = createServer((incoming, response) => {
  let body = ''
  incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
  incoming.on('end', () => relay(body, response))
})

function relay(body: string, response: ServerResponse): void {
  const upstreamRequest = request(
    `${upstream}/v1/chat/completions`,
    { method: 'POST', agent },
    (upstreamResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let incomplete = ''
      let text = ''
      upstreamResponse.setEncoding('utf8')
      upstreamResponse.on('data', (chunk: string) => {
        const events = (incomplete + chunk).split('\n\n')
        incomplete = events.pop() ?? ''
        let out = ''
        for (const event of events) {
          const data = event.slice(6)
          if (data === '[DONE]') continue
          const { choices } = JSON.parse(data) as { choices: [{ delta: { content?: string } }] }
          const content = choices[0].delta.content ?? ''
          text += content
          out += `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
        }
        response.write(out)
      })
      upstreamResponse.on('end', () => {
        insert.run(text)
        response.end('data: [DONE]\n\n')
      })
    },
  )
  upstreamRequest.end(body)
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
