import type { calendar_v3 } from '@googleapis/calendar'
import { refusal } from '../google/errors.ts'

type Event = calendar_v3.Schema$Event
type Guest = calendar_v3.Schema$EventAttendee

/** The addresses that Google emails about an event: guests and organizer, but neither the user nor rooms. */
export function listEmailedAddresses(event: Event): string[] {
  if ((event.attendees ?? []).length === 0) return []
  const guests = (event.attendees ?? []).filter(({ self, resource }) => !self && !resource)
  const organizer = event.organizer?.self === true ? [] : [event.organizer?.email]
  const emails = [...guests.map(({ email }) => email), ...organizer]
  return [...new Set(emails.flatMap((email) => (email ? [email.toLowerCase()] : [])))]
}

/**
 * Decides whether Google emails all guests or none. It emails them only when the call names all of them, so that the
 * user who approved the call has seen their addresses. `emailed` is what `listEmailedAddresses` returns,
 * `named` the list of the call.
 * @throws AppError `invalid_request` when the list is missing or has other addresses
 */
export function decideSendUpdates(
  emailed: readonly string[],
  named: readonly string[] | undefined,
): 'all' | 'none' {
  if (emailed.length === 0) {
    if (named === undefined || named.length === 0) return 'none'
    throw refusal('This event has no guests to email.')
  }
  const addresses = [...new Set(named?.map((email) => email.trim().toLowerCase()))]
  if (named !== undefined && addresses.length === 0) return 'none'
  if (addresses.toSorted().join('\n') === emailed.toSorted().join('\n')) return 'all'
  throw refusal(
    `Google would email ${emailed.slice(0, 200).join(', ')}. List exactly these in "email_guests", or give an empty list.`,
  )
}

/**
 * Returns the guests after adding and removing some. The other guests keep their responses.
 * @throws AppError `invalid_request` when a guest to remove is not invited
 */
export function changeGuests(
  guests: readonly Guest[],
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Guest[] {
  const removed = new Set(change.remove.map((email) => email.toLowerCase()))
  const unknown = [...removed].find((email) => !guests.some((guest) => hasAddress(guest, email)))
  if (unknown !== undefined) {
    throw refusal(`${unknown} is not a guest of this event.`)
  }
  const remaining = guests.filter((guest) => !removed.has(guest.email?.toLowerCase() ?? ''))
  const added = change.add.filter((email) => !remaining.some((guest) => hasAddress(guest, email)))
  return [...remaining, ...added.map((email) => ({ email }))]
}

function hasAddress(guest: Guest, email: string): boolean {
  return guest.email?.toLowerCase() === email.toLowerCase()
}
