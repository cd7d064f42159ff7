import type { Drafts } from '@yonder/contract/draft'
import type { ApiClient } from '../../lib/api/api-client.ts'
import { logError } from '../../lib/log-error.ts'
import { personalStorage } from './chat-storage.ts'

/** The longest time for which signing out waits, in milliseconds. */
const maxWaitMs = 3_000

/** Leaves what was not sent with the server, before it is removed from the browser. Never rejects. */
export async function keepUnsent(api: ApiClient): Promise<void> {
  if (Object.keys(personalStorage.readUnsent()).length === 0) return
  const options = { signal: AbortSignal.timeout(maxWaitMs) }
  try {
    // Another browser may have left something, which must not be replaced.
    const kept = await api.get<Drafts>('/api/drafts', undefined, options)
    if (kept === undefined) return
    personalStorage.restoreUnsent(kept.drafts)
    const drafts = takeFitting(personalStorage.readUnsent())
    await api.put('/api/drafts', { drafts } satisfies Drafts, options)
  } catch (error) {
    logError('What was not sent could not be kept', error)
  }
}

/** Characters of all texts that one request can have. */
const maxChars = 200_000

/** The texts that fit into one request, the short ones first: without the others, none would be kept. */
function takeFitting(texts: Readonly<Record<string, string>>): Record<string, string> {
  let left = maxChars
  const sorted = Object.entries(texts).sort(([, one], [, other]) => one.length - other.length)
  return Object.fromEntries(sorted.filter(([, text]) => (left -= text.length) >= 0))
}

/** Takes back what the server has kept since the last sign-out. What cannot be read now stays there. */
export async function takeBackUnsent(api: ApiClient): Promise<void> {
  if (!personalStorage.mayTakeBack()) return
  try {
    const kept = await api.get<Drafts>('/api/drafts')
    if (kept === undefined) return
    personalStorage.restoreUnsent(kept.drafts)
    if (Object.keys(kept.drafts).length > 0) await api.put('/api/drafts', { drafts: {} } satisfies Drafts)
  } catch (error) {
    logError('What was not sent could not be read', error)
  }
}
