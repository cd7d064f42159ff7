import type { Connector, ConnectorInput } from '@yonder/contract/connector'
import { addToolName, allowDraftOf, allowToolsOf } from '../configure/allow-draft.ts'
import type { AllowDraft } from '../configure/allow-draft.ts'

/** A connector as its form holds it: texts as typed. */
export interface ConnectorDraft {
  readonly name: string
  readonly url: string
  /** A stored secret's mask until something else is typed; the server takes the mask as "unchanged". */
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  readonly allow: AllowDraft
  /** The name of a tool that is being typed. */
  readonly toolName: string
}

/** The draft that a form starts with: of a stored connector, or of a new one, whose tools all ask. */
export function draftOf(connector: Connector | undefined, known?: NewConnector): ConnectorDraft {
  return {
    name: connector?.name ?? known?.name ?? '',
    url: connector?.url ?? known?.url ?? '',
    token: connector?.token ?? '',
    clientId: connector?.client_id ?? '',
    clientSecret: connector?.client_secret ?? '',
    allow: allowDraftOf(connector === undefined ? [] : connector.allow_tools),
    toolName: '',
  }
}

/** What is known of a connector before it is added. */
export interface NewConnector {
  readonly name: string
  readonly url: string
}

/** What makes a new connector: not connected, its own person's, and asking before every tool (§4.27). */
export function inputOfNew({ name, url }: NewConnector): ConnectorInput {
  return { name, url, token: null, status: 'disconnected', is_default: false, allow_tools: [] }
}

/** Whether it leads to another server than the stored one. */
export function isMoved(draft: ConnectorDraft, stored: Connector | undefined): boolean {
  return stored !== undefined && draft.url.trim() !== stored.url
}

/**
 * What is sent: every field by name, with nothing for what is empty (§2.64). `stored` is the connector that the form
 * started with: allowed tools that are still those are left out, since others may have been allowed meanwhile.
 */
export function inputOf(draft: ConnectorDraft, stored: Connector | undefined): ConnectorInput {
  const names = addToolName(draft.allow.names, draft.toolName)
  // Approvals were given to the tools of one server: at another one everything asks.
  const allowTools = isMoved(draft, stored) ? [] : allowToolsOf({ ...draft.allow, names })
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    token: draft.token.trim() || null,
    client_id: draft.clientId.trim() || null,
    client_secret: draft.clientSecret.trim() || null,
    status: stored?.status ?? 'disconnected',
    is_default: stored?.is_default ?? false,
    ...(isSame(allowTools, stored?.allow_tools) ? {} : { allow_tools: allowTools }),
  }
}

function isSame(names: ConnectorInput['allow_tools'], others: ConnectorInput['allow_tools']): boolean {
  return JSON.stringify(names) === JSON.stringify(others)
}
