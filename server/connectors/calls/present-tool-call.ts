import { approvals, callOutcomes } from '@yonder/contract/connector'
import type { ToolCallRecord } from '@yonder/contract/connector'
import type { ToolCallRow } from '../../db/tables/connector-tables.ts'

/** A line of the record of calls as its person reads it. */
export function presentToolCall(call: ToolCallRow): ToolCallRecord {
  return {
    id: call.id,
    connector: call.connector,
    tool: call.tool,
    arguments_hash: call.arguments_hash,
    approval: approvals.find((approval) => approval === call.approval) ?? 'once',
    outcome: callOutcomes.find((outcome) => outcome === call.outcome) ?? 'started',
    started_at: new Date(call.started_at).toISOString(),
    duration: call.duration,
    bytes: call.bytes,
  }
}
