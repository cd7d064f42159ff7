import { presentMessage } from '../server/integrations/gmail/present-message.ts'
import { watchEventLoop } from '../server/testing/watch-event-loop.ts'

/*
 * Measures how long reading an email that was made to be expensive blocks the event loop of the server. HTML is converted
 * in a thread of its own, so only the headers and the decoding of the text count.
 */

const maxBlockedMs = 250

type Message = Parameters<typeof presentMessage>[1]

const reader = { userId: 'bench', signal: new AbortController().signal }

interface Header {
  readonly name: string
  readonly value: string
}

function toMessage(mimeType: string, text: string, headers: Header[] = []): Message {
  const data = Buffer.from(text).toString('base64url')
  return { id: 'm', payload: { mimeType, headers, body: { data } } }
}

const manyHeaders = Array.from({ length: 10_000 }, (_, index) => ({
  name: `X-${index}`,
  value: 'y'.repeat(500),
}))

const messages: Readonly<Record<string, Message>> = {
  '10,000 headers': toMessage('text/plain', 'text', manyHeaders),
  'deeply nested HTML': toMessage('text/html', '<div>'.repeat(40_000)),
  '300,000 open tags': toMessage('text/html', '<table><tr><td>'.repeat(100_000)),
  'broken entities and attributes': toMessage('text/html', '<a href="&#x'.repeat(50_000)),
  'long encoded words': toMessage('text/plain', 'text', [
    { name: 'Reply-To', value: '=?utf-8?B?'.repeat(20_000) },
  ]),
  '50,000 recipients': toMessage('text/plain', 'text', [
    { name: 'Cc', value: 'a@b.example,'.repeat(50_000) },
  ]),
}

// Starts the thread and loads the code before the measurement.
await presentMessage(reader, toMessage('text/html', '<p>text</p>'), 60_000)
for (const [name, message] of Object.entries(messages)) {
  const watch = watchEventLoop()
  await presentMessage(reader, message, 60_000)
  const blockedMs = watch.stop()
  process.stdout.write(`${name}: blocked ${blockedMs.toFixed(0)} ms, goal: under ${maxBlockedMs} ms\n`)
  if (blockedMs >= maxBlockedMs) process.exitCode = 1
}
