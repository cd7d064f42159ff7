/** The session has ended, here or at the provider; nothing is stored any more. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}
