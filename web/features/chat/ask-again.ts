import type { RegenerateRequest } from '@yonder/contract/completion'
import type { ApiClient } from '../../lib/api-client.ts'
import { connectStream } from '../../lib/connect-stream.ts'
import type { ConnectedStream } from '../../lib/connect-stream.ts'
import { readErrorBody } from '../../lib/read-error-body.ts'

/**
 * Asks for another reply to a message (§4.24). Answers nothing when the person is signed out.
 * @throws Error whose message is a sentence for the person
 */
export async function askAgain(
  api: ApiClient,
  request: RegenerateRequest,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const stream = await connectStream(api, '/api/chat/completions', { method: 'POST', body: request }, signal)
  if (stream === undefined || stream.response.ok) return stream
  const detail = await readErrorBody(stream.response)
  stream.close()
  throw new Error(
    detail?.code === 'run_active'
      ? 'Another reply is being written in this chat. Regenerate when it is finished, or stop it first.'
      : `The reply could not be regenerated: ${detail?.message ?? `The server answered ${stream.response.status}.`}`,
  )
}
