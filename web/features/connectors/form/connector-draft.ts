import type { BrowseServer, Connector, ConnectorInput } from '@yonder/contract/connector'
import type { Problems } from '../../../lib/use-form.ts'
import { addToolName, allowDraftOf, allowToolsOf, type AllowDraft } from '../configure/allow-draft.ts'

/** The state of the connector form: the texts as typed. */
export interface ConnectorDraft {
  readonly name: string
  readonly url: string
  /** The mask of the stored token until the user types another; the server reads the mask as "unchanged". */
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  readonly headers: readonly HeaderDraft[]
  /** Seconds, or empty for the default. */
  readonly timeLimit: string
  /** Whether models are given the pictures of its results. */
  readonly pictures: boolean
  readonly allow: AllowDraft
  /** The tool name that is being typed. */
  readonly toolName: string
}

/** A header as typed. */
export interface HeaderDraft {
  /** Identifies the row while the form is open. */
  readonly row: number
  readonly name: string
  readonly value: string
  /** The mask of the stored value; null for a new header. */
  readonly stored: string | null
}

/** Returns the draft of a stored connector, or of a new one, whose tools all need approval. */
export function draftOf(connector: Connector | undefined, prefilled?: NewConnector): ConnectorDraft {
  return {
    name: connector?.name ?? prefilled?.name ?? '',
    url: connector?.url ?? prefilled?.url ?? '',
    token: connector?.token ?? '',
    clientId: connector?.client_id ?? '',
    clientSecret: connector?.client_secret ?? '',
    headers: (connector?.headers ?? prefilled?.headers ?? []).map((header, row) => ({
      ...header,
      row,
      stored: connector === undefined ? null : header.value,
    })),
    timeLimit: connector?.time_limit?.toString() ?? '',
    pictures: connector?.pictures ?? true,
    allow: allowDraftOf(connector === undefined ? [] : connector.allow_tools),
    toolName: '',
  }
}

/** What a connector from the catalogue has before it is added. */
export type NewConnector = Pick<ConnectorInput, 'name' | 'url' | 'headers'>

/** Returns the request body for a new connector: not connected, and every tool needs approval. */
export function inputOfNew({ name, url }: NewConnector): ConnectorInput {
  return { name, url, token: null, status: 'disconnected', is_default: false, allow_tools: [] }
}

/** Whether the draft has another address than the stored connector. A new connector has no stored address. */
export function isAddressChanged(draft: ConnectorDraft, stored: Connector | undefined): boolean {
  return stored !== undefined && draft.url.trim() !== stored.url
}

/**
 * Returns the request body, with null for an empty token, client ID or client secret. The allowed tools are
 * omitted if they were not changed, since another tab can have changed them meanwhile.
 */
export function inputOf(draft: ConnectorDraft, stored: Connector | undefined): ConnectorInput {
  const names = addToolName(draft.allow.names, draft.toolName, stored?.tools)
  // The user allowed the tools of the server at the old address. At a new address all tools need approval.
  const allowTools = isAddressChanged(draft, stored) ? [] : allowToolsOf({ ...draft.allow, names })
  // A header without a value is removed, as an emptied token is.
  const headers = draft.headers
    .map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
    .filter(({ value }) => value !== '')
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    token: draft.token.trim() || null,
    client_id: draft.clientId.trim() || null,
    client_secret: draft.clientSecret.trim() || null,
    ...(headers.length === 0 && stored?.headers === undefined ? {} : { headers }),
    ...timeLimitOf(draft, stored),
    ...(draft.pictures === (stored?.pictures ?? true) ? {} : { pictures: draft.pictures }),
    status: stored?.status ?? 'disconnected',
    is_default: stored?.is_default ?? false,
    ...(isSame(allowTools, stored?.allow_tools) ? {} : { allow_tools: allowTools }),
  }
}

/** The time limit, unless it is the stored one. */
function timeLimitOf(
  { timeLimit }: ConnectorDraft,
  stored: Connector | undefined,
): Pick<ConnectorInput, 'time_limit'> {
  const limit = timeLimit.trim() === '' ? null : Number(timeLimit)
  return limit === (stored?.time_limit ?? null) ? {} : { time_limit: limit }
}

function isSame(names: ConnectorInput['allow_tools'], others: ConnectorInput['allow_tools']): boolean {
  return JSON.stringify(names) === JSON.stringify(others)
}

/** Returns the problems that prevent saving a draft. Any address is accepted here. */
export function checkConnectorDraft({
  name,
  url,
  timeLimit,
}: ConnectorDraft): Problems<'name' | 'url' | 'timeLimit'> {
  return {
    ...(name.trim() === '' ? { name: 'Server name is required' } : {}),
    ...(url.trim() === '' ? { url: 'URL is required' } : {}),
    ...(/^([1-9]\d{0,4})?$/.test(timeLimit.trim())
      ? {}
      : { timeLimit: 'Enter whole seconds, or nothing for 60' }),
  }
}

/**
 * Returns a name for a connector from the catalogue: its title, or title and author if the user already has a connector
 * of that name. If both are taken, returns `config_name`, which may be taken too. Without a title, `name` replaces it.
 * A title is better, because many servers have the same `name`, such as "mcp".
 */
export function nameNewConnector(server: BrowseServer, used: readonly string[]): string {
  const taken = new Set(used.map((name) => name.toLowerCase()))
  const title = server.title || server.name
  const names = [title, `${title} (${server.author_name})`]
  return names.find((name) => !taken.has(name.toLowerCase())) ?? server.config_name
}
