import type { ErrorBody } from '@yonder/contract/error'

/**
 * The server's reason in a failed response, or undefined when the body is not from our server, such as a proxy's page.
 */
export async function readErrorBody(response: Response): Promise<ErrorBody['error'] | undefined> {
  try {
    const body = (await response.json()) as Partial<ErrorBody> | null
    const detail = body?.error
    return typeof detail?.code === 'string' && typeof detail.message === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}
