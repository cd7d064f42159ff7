import type { calendar_v3 } from '@googleapis/calendar'
import { convertHtml } from '../google/convert-html.ts'
import { cutText } from '../../lib/cut-text.ts'
import { squeezeSpaces } from '../../lib/squeeze-spaces.ts'
import { describeWhen, nameStart } from './describe-when.ts'

type Event = calendar_v3.Schema$Event
type Guest = calendar_v3.Schema$EventAttendee

/** Guests who are named; of more only the number is told. */
const mostGuests = 200

const answers: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'maybe',
  needsAction: 'not answered',
}

/** An event in a few lines, its times in the person's time zone. */
export function presentEventSummary(event: Event, timeZone: string): string {
  return joinLines([
    `event_id: ${event.id ?? ''}`,
    `Title: ${line(event.summary) ?? '(without a title)'}`,
    `When: ${describeWhen(event, timeZone)}`,
    `Start: ${nameStart(event, timeZone)}`,
    event.recurringEventId ? `Series: ${event.recurringEventId}` : undefined,
    named('Repeats', event.recurrence?.join(' ')),
    named('Where', event.location),
    event.status === 'cancelled' || event.status === 'tentative' ? `Status: ${event.status}` : undefined,
    named('Your answer', answers[event.attendees?.find(({ self }) => self)?.responseStatus ?? '']),
    event.attendees ? `Guests: ${event.attendees.length}` : undefined,
  ])
}

/** An event in full. */
export async function presentEvent(event: Event, timeZone: string): Promise<string> {
  const description = cutText(await readDescription(event.description ?? ''), 10_000)
  return joinLines([
    presentEventSummary(event, timeZone),
    named('Organizer', describePerson(event.organizer)),
    named('Guest list', describeGuests(event.attendees ?? [])),
    named('Video call', event.hangoutLink),
    named('Link', event.htmlLink),
    description === '' ? undefined : `Description:\n${description}`,
  ])
}

/** Google lets people write simple HTML. */
async function readDescription(text: string): Promise<string> {
  return /<[a-z!/]|&\w+;/i.test(text) ? convertHtml(text) : text
}

function describeGuests(guests: readonly Guest[]): string {
  const names = guests.slice(0, mostGuests).map((guest) => {
    const answer = answers[guest.responseStatus ?? ''] ?? 'not answered'
    return `${describePerson(guest) ?? ''} (${answer})`
  })
  const left = guests.length - mostGuests
  return [...names, ...(left > 0 ? [`${left} more`] : [])].join(', ')
}

function describePerson(
  person: { displayName?: string | null; email?: string | null } | null | undefined,
): string | undefined {
  const { displayName, email } = person ?? {}
  return displayName && email ? `${line(displayName)} <${email}>` : (email ?? displayName ?? undefined)
}

function named(name: string, value: string | null | undefined): string | undefined {
  return value ? `${name}: ${line(value)}` : undefined
}

function line(text: string | null | undefined): string | undefined {
  return text ? cutText(squeezeSpaces(text), 1_000) : undefined
}

function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((text) => text !== undefined && text !== '').join('\n')
}
