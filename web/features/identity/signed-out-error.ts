/** The session has ended, here or at the provider; it is no longer stored. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}
