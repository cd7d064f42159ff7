import type { BrowseServer, Connector, ConnectorInput } from '@yonder/contract/connector'
import type { Problems } from '../../../lib/use-form.ts'
import { addToolName, allowDraftOf, allowToolsOf } from '../configure/allow-draft.ts'
import type { AllowDraft } from '../configure/allow-draft.ts'

/** The state of the connector form: texts as typed. */
export interface ConnectorDraft {
  readonly name: string
  readonly url: string
  /** A stored secret's mask until something else is typed; the server reads the mask as "unchanged". */
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  readonly allow: AllowDraft
  /** The tool name that is being typed. */
  readonly toolName: string
}

/** The draft of a stored connector, or of a new one, whose tools all need approval. */
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

/** The request body for a new connector: not connected, and every tool needs approval (§4.27). */
export function inputOfNew({ name, url }: NewConnector): ConnectorInput {
  return { name, url, token: null, status: 'disconnected', is_default: false, allow_tools: [] }
}

/** Whether the address is another one than the stored one. */
export function isMoved(draft: ConnectorDraft, stored: Connector | undefined): boolean {
  return stored !== undefined && draft.url.trim() !== stored.url
}

/**
 * The request body: every field by name, null for an empty one (§2.64). Allowed tools that were not changed are left out,
 * since others may have been allowed meanwhile.
 */
export function inputOf(draft: ConnectorDraft, stored: Connector | undefined): ConnectorInput {
  const names = addToolName(draft.allow.names, draft.toolName)
  // The user allowed the tools of one server: those of another one all need approval.
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

/** What keeps a draft from being saved; an address is accepted as typed (§5.10). */
export function checkConnectorDraft({ name, url }: ConnectorDraft): Problems<'name' | 'url'> {
  return {
    ...(name.trim() === '' ? { name: 'Server name is required' } : {}),
    ...(url.trim() === '' ? { url: 'URL is required' } : {}),
  }
}

/**
 * The name for a connector from the catalogue: its title, and more where the user has a connector of that name. The names in
 * the catalogue itself are addresses ("com.example/mcp"), whose last part is often the same.
 */
export function nameNewConnector(server: BrowseServer, used: readonly string[]): string {
  const known = new Set(used.map((name) => name.toLowerCase()))
  const title = server.title || server.name
  const names = [title, `${title} (${server.author_name})`]
  return names.find((name) => !known.has(name.toLowerCase())) ?? server.config_name
}
