import { createCalendarApi } from '../google/calendar-api.ts'
import { createGmailApi } from '../google/gmail-api.ts'
import { startGoogleStandIn } from './start-google-stand-in.ts'

/*
 * The Google stand-in for development, as a process that listens on the port given as its argument. It shows a page
 * for consent. Its first line of output is the settings that point the product at it, as JSON.
 */

const account = 'ada@example.com'
const hourMs = 3_600_000

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
  const start = Math.ceil(Date.now() / hourMs) * hourMs + hours * hourMs
  calendar.calendar(account).put({
    summary,
    start: { dateTime: new Date(start).toISOString() },
    end: { dateTime: new Date(start + hourMs).toISOString() },
  })
}

const { environment } = await startGoogleStandIn({
  port: Number(process.argv[2]),
  apis: [gmail, calendar],
  consent: 'ask',
})
process.stdout.write(`${JSON.stringify(environment)}\n`)
