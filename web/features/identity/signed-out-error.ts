/** The session has ended in this browser or at the provider, and is no longer stored. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}
