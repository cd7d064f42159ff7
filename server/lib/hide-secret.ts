/** Shorter secrets are not replaced, because any text may contain them by chance. */
const minSecretChars = 8

/**
 * Replaces a secret in a response of the server that received it, because responses are stored, shown and read by models.
 * The response may be JSON that is not parsed yet, in which servers also write `\/` for a slash and `\u002B` for a plus.
 */
export function hideSecret(text: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < minSecretChars) return text
  const forms = new Set([secret, secret.replaceAll('/', String.raw`\/`)])
  for (const escape of [String.raw`\u002B`, String.raw`\u002b`]) forms.add(secret.replaceAll('+', escape))
  let hidden = text
  for (const form of forms) hidden = hidden.replaceAll(form, '…')
  return hidden
}

/** Returns the secret in the `Authorization` header of a request. */
export function readAuthorization(headers: RequestInit['headers']): string | undefined {
  return new Headers(headers).get('authorization')?.split(' ').at(-1)
}
