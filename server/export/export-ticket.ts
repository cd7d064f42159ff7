import { z } from 'zod'
import { exportTicketContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'

/** Milliseconds for which a link to an export is valid. A download that has begun goes on. */
const validMs = 3_600_000

const Ticket = z.object({ user: z.string(), expires_at: z.number() })

/** Makes a text with which an export of a user can be read for an hour, without a token. */
export function sealTicket(sealer: Sealer, userId: string, exportId: string, now: number): string {
  const ticket: z.infer<typeof Ticket> = { user: userId, expires_at: now + validMs }
  return sealer.seal(JSON.stringify(ticket), exportTicketContext(exportId))
}

/** Returns the id of the user whose export may be read with it. Undefined when it is of another one, or no longer valid. */
export function openTicket(sealer: Sealer, text: string, exportId: string, now: number): string | undefined {
  try {
    const { user, expires_at } = Ticket.parse(JSON.parse(sealer.open(text, exportTicketContext(exportId))))
    return expires_at > now ? user : undefined
  } catch {
    return undefined
  }
}
