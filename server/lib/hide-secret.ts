/** Shorter secrets are not replaced, because any text may contain them by chance. */
const minSecretChars = 8

/** Replaces a secret in a response of the server that received it, because responses are stored, shown and read by models. */
export function hideSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret.length < minSecretChars ? text : text.replaceAll(secret, '…')
}

/** Returns the secret in the `Authorization` header of a request. */
export function readAuthorization(headers: RequestInit['headers']): string | undefined {
  return new Headers(headers).get('authorization')?.split(' ').at(-1)
}
