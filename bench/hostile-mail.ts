import { presentMessage } from '../server/integrations/gmail/present-message.ts'
import { watchEventLoop } from '../server/testing/watch-event-loop.ts'
import { openReport } from './parts/open-report.ts'

/*
 * Measures how long the event loop of the server is blocked by reading emails that were made to be expensive. HTML is
 * converted in a thread of its own, so only the headers and the decoding of the text count.
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

interface Attack {
  readonly name: string
  /** The size that the goal is for. Four times the size shows how the time grows. */
  readonly size: number
  readonly create: (size: number) => Message
}

const attacks: readonly Attack[] = [
  {
    name: 'headers',
    size: 10_000,
    create: (size) => {
      const headers = Array.from({ length: size }, (_, index) => ({
        name: `X-${index}`,
        value: 'y'.repeat(500),
      }))
      return toMessage('text/plain', 'text', headers)
    },
  },
  {
    name: 'deeply nested HTML',
    size: 40_000,
    create: (size) => toMessage('text/html', '<div>'.repeat(size)),
  },
  {
    name: 'open tags',
    size: 300_000,
    create: (size) => toMessage('text/html', '<table><tr><td>'.repeat(size / 3)),
  },
  {
    name: 'broken entities and attributes',
    size: 50_000,
    create: (size) => toMessage('text/html', '<a href="&#x'.repeat(size)),
  },
  {
    name: 'long encoded words',
    size: 20_000,
    create: (size) =>
      toMessage('text/plain', 'text', [{ name: 'Reply-To', value: '=?utf-8?B?'.repeat(size) }]),
  },
  {
    name: 'recipients',
    size: 50_000,
    create: (size) => toMessage('text/plain', 'text', [{ name: 'Cc', value: 'a@b.example,'.repeat(size) }]),
  },
]

const report = openReport('hostile-mail', 'parts')
// Starts the thread and loads the code before the measurement.
await presentMessage(reader, toMessage('text/html', '<p>text</p>'), 60_000)
for (const { name, size, create } of attacks) {
  for (const parts of [size, 4 * size]) {
    const message = create(parts)
    const watch = watchEventLoop()
    await presentMessage(reader, message, 60_000)
    const goal = parts === size ? { max: maxBlockedMs } : {}
    report.add({ name, size: parts, unit: 'ms blocked', values: [watch.stop()], goal })
  }
}
report.finish()
