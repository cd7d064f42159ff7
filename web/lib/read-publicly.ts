import { ApiError } from './api-error.ts'
import { readErrorBody } from './read-error-body.ts'

/**
 * Reads what everyone may read: without a token and without cookies, whoever is signed in (§7.1). Fails as the client's
 * `read` does.
 */
export async function readPublicly<Answer>(path: string): Promise<Answer> {
  const response = await fetch(path, {
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
  })
  if (!response.ok) {
    const message = 'An error occurred while fetching the data.'
    throw new ApiError(message, response.status, await readErrorBody(response))
  }
  return (await response.json()) as Answer
}
