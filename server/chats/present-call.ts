import { type StepCall, type ToolCall, toolCallStates, type ToolCallState } from '@yonder/contract/tool-call'
import type { MessageRow } from '../db/tables/tables.ts'
import { type EarlyDecision, type LaterCall, parseCall, placeOf, type StoredCall } from './tool-call-store.ts'

/** Presents the call of a message to the owner of its chat; null when it makes none. */
export function presentCallOf({
  call,
  call_state,
}: Pick<MessageRow, 'call' | 'call_state'>): ToolCall | null {
  const state = toolCallStates.find((known) => known === call_state)
  return call === null || state === undefined ? null : presentCall(parseCall(call), state)
}

/** Presents a call to the owner of its chat, without the data that only the server needs. */
export function presentCall(stored: StoredCall, state: ToolCallState): ToolCall {
  const { title, decision, edited, deniedBy } = stored
  const place = placeOf(stored)
  return {
    state,
    ...(title === undefined ? {} : { title }),
    ...(stored.imported === true && { imported: true as const }),
    ...(place === undefined ? {} : { place }),
    ...(decision === undefined ? {} : { decision }),
    ...(edited === undefined ? {} : { edited }),
    ...(deniedBy === undefined ? {} : { denied_by: deniedBy }),
    ...(state === 'waiting' && presentWaiting(stored)),
  }
}

function presentWaiting({ changes, fingerprint, credential, askedAt, effect, alwaysAsks, rest }: StoredCall) {
  const step = rest.flatMap(presentLater)
  return {
    ...(changes === undefined ? {} : { changes: [...changes] }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    // A call that was stored without its credential is not made when it is approved: no connector has an empty one.
    credential: credential ?? '',
    ...(askedAt === undefined ? {} : { asked_at: askedAt }),
    ...(effect === undefined ? {} : { effect }),
    ...(alwaysAsks === true && { always_asks: alwaysAsks }),
    ...(step.length > 0 && { step }),
  }
}

function presentLater({ id, name, target, arguments: text, preview, decided }: LaterCall): StepCall[] {
  if (preview === undefined) return []
  const { changes, alwaysAsks, ...shown } = preview
  return [
    {
      id,
      server: target?.connectorName ?? unknownConnector,
      tool: target?.toolName ?? name,
      arguments: text,
      ...shown,
      ...(changes === undefined ? {} : { changes: [...changes] }),
      ...(alwaysAsks === true && { always_asks: alwaysAsks }),
      ...(decided !== undefined && { decided: presentEarly(decided) }),
    },
  ]
}

function presentEarly({ allow, edited, reason, at }: EarlyDecision): StepCall['decided'] {
  return {
    allow,
    ...(edited === undefined ? {} : { edited }),
    ...(reason === undefined ? {} : { reason }),
    at,
  }
}

/** The connector name of a tool whose name the model made up. */
export const unknownConnector = 'unknown'
