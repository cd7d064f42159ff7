import type { ToolChange } from '@yonder/contract/tool-call'
import type { AllowedToolRow, ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { parseDefinition } from './tool-definition.ts'
import type { ToolDefinition } from './tool-definition.ts'

export type ConsentDecision =
  | { readonly kind: 'run'; readonly by: 'no_list' | 'listed' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'ask_changed'; readonly changes: readonly ToolChange[] }

type Tool = Pick<ConnectorToolRow, 'fingerprint' | 'definition'>
type Allowed = Pick<AllowedToolRow, 'fingerprint' | 'definition'>

/**
 * Decides on the server, before a call, whether it needs approval (§4.18, §4.19). Without a list of allowed tools
 * every call
 * runs; a tool on the list runs as long as it is the one that was allowed; every other call needs approval (§12.14).
 */
export function decideConsent(
  connector: Pick<ConnectorRow, 'asks'>,
  tool: Tool,
  allowed: Allowed | undefined,
): ConsentDecision {
  if (connector.asks === 0) return { kind: 'run', by: 'no_list' }
  if (allowed === undefined) return { kind: 'ask' }
  if (allowed.fingerprint === tool.fingerprint) return { kind: 'run', by: 'listed' }
  return { kind: 'ask_changed', changes: listChanges(allowed, tool) }
}

function listChanges(allowed: Allowed, tool: Tool): ToolChange[] {
  // The tool was allowed before its definition was known, so there is nothing to compare with.
  if (allowed.definition === null) return [{ what: 'other', before: null, after: null }]
  const before = parseDefinition(allowed.definition)
  const after = parseDefinition(tool.definition)
  const changes = [
    change('title', before.title, after.title),
    change('description', before.description, after.description),
    change('input', show(before.inputSchema), show(after.inputSchema)),
    change('output', show(before.outputSchema), show(after.outputSchema)),
    change('annotations', show(before.annotations), show(after.annotations)),
  ].flat()
  // The change is in a part that is not stored, or the connector's address has changed.
  return changes.length === 0 ? [{ what: 'other', before: null, after: null }] : changes
}

function change(what: ToolChange['what'], before: string | null, after: string | null): ToolChange[] {
  return before === after ? [] : [{ what, before, after }]
}

/** Characters of a part up to which it is shown indented. */
const maxIndentedChars = 100_000

function show(part: ToolDefinition['annotations']): string | null {
  if (part === null) return null
  const text = canonicalJson(part)
  const indented = JSON.stringify(JSON.parse(text), null, 2)
  return indented.length > maxIndentedChars ? text : indented
}
