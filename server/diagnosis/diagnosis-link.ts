import type { Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { Client } from '../http/client-address.ts'
import { createLink, findLinkSubject, consumeLink } from '../identity/accounts/operator-links.ts'
import { deleteAccountRecordsOfModel } from '../identity/provider/oidc-store.ts'

/** The path of the route, before its one parameter. */
export const diagnosisPath = '/api/diagnosis/'

/** The number of frames, and the milliseconds between two of them. */
export const frameCount = 10
export const frameIntervalMs = 200

/** What the server received of the request. Sent in the first frame. */
export interface ReceivedRequest extends Client {
  /** The parameter of the path, as it is in the request line. */
  readonly parameter: string
  /** The header `X-Forwarded-For`. */
  readonly forwardedFor: string | null
  /** Whether another header shows that there is a proxy. */
  readonly isProxied: boolean
}

/**
 * The kind of link that `createDiagnosisUrl` creates. Only a process that can write to the database can create one. It
 * works once, within a minute.
 */
const kind = { model: 'Diagnosis', path: diagnosisPath, hours: 1 / 60 }

const subject = 'yonder doctor'

/** Creates the URL for one request. `parameter` is sent as it is. Earlier URLs are no longer valid. */
export async function createDiagnosisUrl(
  db: Db,
  sealer: Sealer,
  {
    publicUrl,
    parameter,
    now,
  }: { readonly publicUrl: string; readonly parameter: string; readonly now: number },
): Promise<string> {
  const path = `${kind.path}${parameter}`
  const link = await createLink(db, sealer, { ...kind, path }, { baseUrl: publicUrl, subject, now })
  return link.url
}

/** Deletes the URL that was created last, if it was not used. */
export function deleteDiagnosisUrl(db: Db): Promise<void> {
  return deleteAccountRecordsOfModel(db, kind.model, subject)
}

/** Uses up the token of such a URL. Returns false when it is not valid. */
export async function consumeDiagnosisToken(
  db: Db,
  sealer: Sealer,
  token: unknown,
  now: number,
): Promise<boolean> {
  const known = await findLinkSubject(db, sealer, kind, token, now)
  return known !== undefined && consumeLink(db, kind, String(token), now)
}
