import { ModelFailure } from './model-failure.ts'

/** The key as a header can carry it, or null when the endpoint has none; throws a `ModelFailure` on one it cannot. */
export function requireKey(apiKey: string | null): string | null {
  const key = apiKey?.trim() ?? ''
  if (key === '') return null
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelFailure(
      'bot_misconfigured',
      'The API key of this bot holds a space, a line break or a letter that no key can hold. Enter it again.',
    )
  }
  return key
}
