import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'

type Event = calendar_v3.Schema$Event

/** Everybody whom Google would write to about an event: guests and organizer, without the person and without rooms. */
export function listMailed(event: Event): string[] {
  if ((event.attendees ?? []).length === 0) return []
  const guests = (event.attendees ?? []).filter(({ self, resource }) => !self && !resource)
  const organizer = event.organizer?.self === true ? [] : [event.organizer?.email]
  const emails = [...guests.map(({ email }) => email), ...organizer]
  return [...new Set(emails.flatMap((email) => (email ? [email.toLowerCase()] : [])))]
}

/**
 * Whether Google shall write to the guests: to all of them, who then are those that the approving person saw, or to nobody.
 * @throws AppError `invalid_request` when only some or others are named, or nothing is said
 */
export function decideMails(mailed: readonly string[], told: readonly string[] | undefined): 'all' | 'none' {
  if (mailed.length === 0) {
    if (told === undefined || told.length === 0) return 'none'
    throw new AppError('invalid_request', 'This event has no guests to write to. Nothing was done.')
  }
  const named = [...new Set(told?.map((email) => email.trim().toLowerCase()))]
  if (told !== undefined && named.length === 0) return 'none'
  if (named.toSorted().join('\n') === mailed.toSorted().join('\n')) return 'all'
  throw new AppError(
    'invalid_request',
    `Google would write to ${mailed.slice(0, 200).join(', ')}. Name exactly these in "email_guests", or nobody. Nothing was done.`,
  )
}
