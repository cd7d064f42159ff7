import type { ApiClient } from '../../../lib/api-client.ts'
import { connectStream } from '../../../lib/connect-stream.ts'
import type { ConnectedStream } from '../../../lib/connect-stream.ts'
import { readErrorBody } from '../../../lib/read-error-body.ts'

/** A call that is answered with the stream of a run. */
export interface RunRequest {
  readonly path: '/api/chat/completions' | '/api/tool/confirm'
  readonly body: object
  /** What is said before the reason of a failure, for example 'The reply could not be regenerated'. */
  readonly failure: string
}

/**
 * Asks for a run. Answers nothing when the person is signed out.
 * @throws Error whose message is a sentence for the person
 */
export async function requestRun(
  api: ApiClient,
  { path, body, failure }: RunRequest,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const stream = await connectStream(api, path, { method: 'POST', body }, signal)
  if (stream === undefined || stream.response.ok) return stream
  const detail = await readErrorBody(stream.response)
  stream.close()
  throw new Error(
    detail?.code === 'run_active'
      ? 'Another reply is being written in this chat. Wait until it is finished, or stop it first.'
      : `${failure}: ${detail?.message ?? `The server answered ${stream.response.status}.`}`,
  )
}
