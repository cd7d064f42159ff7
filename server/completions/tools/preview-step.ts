import { maxStepCalls } from '@yonder/contract/tool-call'
import type { CallPreview, LaterCall } from '../../chats/tool-call-store.ts'
import type { User } from '../../identity/user.ts'
import { describeTool, examineCall, type CallPlace, type DecideDeps } from './tool-invocation.ts'

/** Characters of all changes of tools that a waiting call lists, which are sent and stored with it. */
const maxChangeChars = 200_000

/**
 * Adds to the later calls of a step what the user sees of them, so that they can be decided while an earlier one waits. A
 * call that was decided keeps what the user has seen. Calls beyond the limits are not listed; they ask when it is their
 * turn.
 */
export async function previewStep(
  deps: DecideDeps,
  user: User,
  calls: readonly LaterCall[],
  place: CallPlace,
  signal: AbortSignal,
): Promise<readonly LaterCall[]> {
  const listed: LaterCall[] = []
  let chars = 0
  for (const call of calls.slice(0, maxStepCalls)) {
    const preview =
      call.decided === undefined ? await previewCall(deps, user, call, place, signal) : call.preview
    for (const { before, after } of preview?.changes ?? [])
      chars += (before?.length ?? 0) + (after?.length ?? 0)
    if (chars > maxChangeChars) break
    listed.push(preview === undefined ? call : { ...call, preview })
  }
  return [...listed, ...calls.slice(listed.length).map(withoutPreview)]
}

async function previewCall(
  deps: DecideDeps,
  user: User,
  call: LaterCall,
  place: CallPlace,
  signal: AbortSignal,
): Promise<CallPreview> {
  const { known, decision } = await examineCall(deps, user, call, place, { isDue: false, signal })
  return {
    ...describeTool(known, decision),
    asks: decision.kind !== 'run',
    ...(known !== undefined && { fingerprint: known.tool.fingerprint, credential: known.credential }),
  }
}

/** A call that is not listed cannot be decided, but one that was decided before stays so. */
function withoutPreview(call: LaterCall): LaterCall {
  if (call.decided !== undefined) return call
  const { preview: _, ...rest } = call
  return rest
}
