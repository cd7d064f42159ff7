import { Agent, createServer, request } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SqliteFile } from '../../server/db/dialects/sqlite-file.ts'

/*
 * The limit that the product is held against: a raw handler that parses each event of the upstream, sends it on, and
 * writes the final text to SQLite. No sign-in, no log, no numbers, no second reader.
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
  incoming.on('data', (piece: Buffer) => (body += piece.toString()))
  incoming.on('end', () => relay(body, response))
})

function relay(body: string, response: ServerResponse): void {
  const asked = request(`${upstream}/v1/chat/completions`, { method: 'POST', agent }, (answer) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let rest = ''
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      const events = (rest + piece).split('\n\n')
      rest = events.pop() ?? ''
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
    answer.on('end', () => {
      insert.run(text)
      response.end('data: [DONE]\n\n')
    })
  })
  asked.end(body)
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
