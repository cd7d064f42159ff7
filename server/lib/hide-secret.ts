/** A shorter secret may be part of any text. */
const minSecretChars = 8

/** Replaces a secret in a text of the server that it was sent to: such texts are stored, shown and read by models. */
export function hideSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret.length < minSecretChars ? text : text.replaceAll(secret, '…')
}

/** Returns the secret in the `Authorization` header of a request. */
export function readAuthorization(headers: RequestInit['headers']): string | undefined {
  return new Headers(headers).get('authorization')?.split(' ').at(-1)
}
