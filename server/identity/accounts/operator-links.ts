import type { Db } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { randomSecret } from '../../lib/secret.ts'
import {
  consumeRecord,
  deleteRecord,
  deleteAccountRecordsOfModel,
  findRecord,
  hashRecordId,
  upsertRecord,
} from '../provider/oidc-store.ts'

/**
 * A kind of link that a command of the operator makes. Only the hash of its token is stored. It works once, and the
 * next link for the same subject replaces it.
 */
interface LinkKind {
  /** The model of its records. */
  readonly model: string
  /** The path below `baseUrl`. */
  readonly path: string
  /** How long it is valid. */
  readonly hours: number
}

/** Sets a new password. The subject is the id of the account. */
export const resetLinks: LinkKind = { model: 'PasswordReset', path: '/reset-password', hours: 24 }

/** Creates an account, also while sign-up is closed. The subject is the normalized e-mail. */
export const invitations: LinkKind = { model: 'Invitation', path: '/invitation', hours: 7 * 24 }

export interface OperatorLink {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface NewLink {
  /** The issuer, for a page of the embedded provider. */
  readonly baseUrl: string
  /** What the link is for, in the form that its kind requires (`resetLinks`, `invitations`). */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Stores a new link, which replaces an earlier one of this kind and subject. */
export async function createLink(
  trx: Db,
  sealer: Sealer,
  { model, path, hours }: LinkKind,
  { baseUrl, subject, now }: NewLink,
): Promise<OperatorLink> {
  const token = randomSecret()
  await deleteAccountRecordsOfModel(trx, model, subject)
  const record = { model, id: hashRecordId(token), grant_id: null }
  const expiresAt = now + hours * 3_600_000
  await upsertRecord(trx, {
    ...record,
    payload: sealer.seal(JSON.stringify({ accountId: subject }), signInRecordContext(record)),
    uid: null,
    expires_at: expiresAt,
    account_id: subject,
  })
  return { url: `${baseUrl}${path}?token=${token}`, expiresAt }
}

/** Returns the subject of a link, or undefined when the link was used or replaced, or has expired. */
export async function findLinkSubject(
  db: Db,
  sealer: Sealer,
  { model }: LinkKind,
  token: unknown,
  now: number,
): Promise<string | undefined> {
  if (typeof token !== 'string') return undefined
  const record = await findRecord(db, model, hashRecordId(token))
  if (record === undefined || record.consumed_at !== null || (record.expires_at ?? 0) <= now) return undefined
  return (
    JSON.parse(sealer.open(record.payload, signInRecordContext(record))) as { readonly accountId: string }
  ).accountId
}

/** Uses up a link. Returns false when another request has used it. */
export async function consumeLink(
  trx: Db,
  { model }: LinkKind,
  token: string,
  now: number,
): Promise<boolean> {
  const id = hashRecordId(token)
  const isFirst = await consumeRecord(trx, model, id, now)
  await deleteRecord(trx, model, id)
  return isFirst
}
