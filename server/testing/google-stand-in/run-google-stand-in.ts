import { createCalendarApi } from '../google/create-calendar-api.ts'
import { createGmailApi } from '../google/create-gmail-api.ts'
import { startGoogleStandIn } from './start-google-stand-in.ts'

/*
 * Google for development, in a process of its own on the port of its parameter. It asks for consent on a page, and its first
 * line is the settings that point the product at it, as JSON.
 */

const account = 'ada@example.com'
const hour = 3_600_000

const gmail = createGmailApi()
gmail.mailbox(account).deliver({
  from: 'Grace Hopper <grace@example.com>',
  to: account,
  subject: 'The compiler',
  text: 'It compiles. Shall we meet on Thursday at ten to look at it together?',
})
gmail.mailbox(account).deliver({
  from: 'Library <library@example.com>',
  to: account,
  subject: 'Your book is due',
  text: 'Please return "Sketch of the Analytical Engine" by Friday.',
})

const calendar = createCalendarApi()
for (const [hours, summary] of [
  [2, 'Tea with Charles'],
  [26, 'Lecture on the Engine'],
] as const) {
  const begin = Math.ceil(Date.now() / hour) * hour + hours * hour
  calendar.calendar(account).put({
    summary,
    start: { dateTime: new Date(begin).toISOString() },
    end: { dateTime: new Date(begin + hour).toISOString() },
  })
}

const { environment } = await startGoogleStandIn({
  port: Number(process.argv[2]),
  apis: [gmail, calendar],
  consent: 'ask',
})
process.stdout.write(`${JSON.stringify(environment)}\n`)
