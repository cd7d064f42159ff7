import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'

type Guest = calendar_v3.Schema$EventAttendee

/** The guests with some more and some fewer; those who stay keep their answers. */
export function changeGuests(
  guests: readonly Guest[],
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Guest[] {
  const leaving = new Set(change.remove.map((email) => email.toLowerCase()))
  const stranger = [...leaving].find((email) => !guests.some((guest) => isCalled(guest, email)))
  if (stranger !== undefined) {
    throw new AppError('invalid_request', `${stranger} is not a guest of this event. Nothing was done.`)
  }
  const staying = guests.filter((guest) => !leaving.has(guest.email?.toLowerCase() ?? ''))
  const arriving = change.add.filter((email) => !staying.some((guest) => isCalled(guest, email)))
  return [...staying, ...arriving.map((email) => ({ email }))]
}

function isCalled(guest: Guest, email: string): boolean {
  return guest.email?.toLowerCase() === email.toLowerCase()
}
