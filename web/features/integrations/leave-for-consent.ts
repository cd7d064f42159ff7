import { leaveFor } from '../../lib/leave-for.ts'
import { keepAuthorization } from './callback/pending-authorization.ts'

/** Leaves for the page where a person gives their consent. Answers only when the browser comes back to this very page. */
export async function leaveForConsent(authUrl: string): Promise<void> {
  const address = URL.parse(authUrl)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new Error('The address to authenticate at is not a web address.')
  const state = address.searchParams.get('state')
  // An answer without it could not be told from one that somebody else began.
  if (!state) throw new Error('The address to authenticate at does not say what to answer to.')
  keepAuthorization(state)
  await leaveFor(address)
}
