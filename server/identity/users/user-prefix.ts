import { createHash } from 'node:crypto'
import type { User } from '../user.ts'

/** Tells people apart at a glance: the e-mail's local part, and a short hash of who they are. */
export function userPrefix({ issuer, subject, email }: Pick<User, 'issuer' | 'subject' | 'email'>): string {
  const local =
    (email ?? '')
      .split('@')[0]
      ?.toLowerCase()
      .replace(/[^a-z0-9._-]/g, '') || 'user'
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 8)
  return `${local}-${hash}`
}
