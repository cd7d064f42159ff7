import type {
  Connector,
  ConnectorTool,
  Permission,
  PermissionsInput,
  ToolPermission,
} from '@yonder/contract/connector'

/** The unsaved choice of the tools that run without approval. */
export interface AllowDraft {
  /** Whether every tool runs without approval. `names` stays, in case the user changes this back. */
  readonly allowsEveryTool: boolean
  readonly names: readonly string[]
}

export function allowDraftOf(allowTools: Connector['allow_tools']): AllowDraft {
  return { allowsEveryTool: allowTools === null, names: allowTools ?? [] }
}

/** Adds a typed name unless it is empty or already in the list. It is trimmed unless a tool has that name. */
export function addToolName(
  names: readonly string[],
  typed: string,
  tools: readonly Pick<ConnectorTool, 'name'>[] = [],
): readonly string[] {
  const name = tools.some((tool) => tool.name === typed) ? typed : typed.trim()
  return name === '' || names.includes(name) ? names : [...names, name]
}

/** Returns the list for the request; null means that no tool needs approval. */
export function allowToolsOf({ allowsEveryTool, names }: AllowDraft): string[] | null {
  return allowsEveryTool ? null : [...names]
}

/** The unsaved choice of the allowed and of the blocked tools. A tool is never in both lists. */
export interface ToolsDraft {
  readonly allow: AllowDraft
  readonly blocked: readonly string[]
  /** The connector when the user began to change it. */
  readonly before: Connector
}

export function toolsDraftOf(before: Connector): ToolsDraft {
  return { allow: allowDraftOf(before.allow_tools), blocked: before.block_tools ?? [], before }
}

/** Returns the permission of a tool. Without a list of allowed tools, each tool that is not blocked is allowed. */
export function permissionOf(name: string, { allow, blocked }: ToolsDraft): Permission {
  const permission = permissionIn(name, allow.names, blocked)
  return permission === 'ask' && allow.allowsEveryTool ? 'allow' : permission
}

function permissionIn(name: string, allowed: readonly string[], blocked: readonly string[]): Permission {
  if (blocked.includes(name)) return 'block'
  return allowed.includes(name) ? 'allow' : 'ask'
}

export function withPermission(draft: ToolsDraft, name: string, permission: Permission): ToolsDraft {
  const { allowsEveryTool } = draft.allow
  const update = (list: readonly string[], isAdded: boolean) => [
    ...list.filter((other) => other !== name),
    ...(isAdded ? [name] : []),
  ]
  // While every tool runs without approval, `names` is the list that is used again when the user turns that off.
  const names = update(draft.allow.names, permission === 'allow' && !allowsEveryTool)
  return {
    ...draft,
    allow: { allowsEveryTool, names },
    blocked: update(draft.blocked, permission === 'block'),
  }
}

/** Changes the allowed tools of a draft. A tool that was added to them is no longer blocked. */
export function withAllowed(draft: ToolsDraft, allow: AllowDraft): ToolsDraft {
  return { ...draft, allow, blocked: draft.blocked.filter((name) => !allow.names.includes(name)) }
}

/** Returns the request for the user's changes. Other permissions stay, since another tab can have changed them. */
export function changesOf(
  { allow, blocked, before }: ToolsDraft,
  tools: readonly ConnectorTool[],
): PermissionsInput {
  const { allow_tools: listed, block_tools: blockedBefore = [] } = before
  const allowedBefore = listed ?? []
  const allowed = allow.allowsEveryTool ? allowedBefore : allow.names
  const isListChanged = JSON.stringify(allowToolsOf(allow)) !== JSON.stringify(listed)
  const names = new Set([...allowedBefore, ...allowed, ...blockedBefore, ...blocked])
  return {
    ...(isListChanged ? { asks: !allow.allowsEveryTool } : {}),
    tools: [...names].flatMap((name): ToolPermission[] => {
      const earlier = permissionIn(name, allowedBefore, blockedBefore)
      const permission = permissionIn(name, allowed, blocked)
      if (permission === earlier) return []
      if (permission !== 'allow') return [{ name, permission }]
      // No tool has an empty fingerprint, so one that is gone from the page is not allowed.
      const fingerprint = tools.find((tool) => tool.name === name)?.fingerprint ?? ''
      return [{ name, permission, fingerprint, unblock: earlier === 'block' }]
    }),
  }
}

export function isToolsDraftChanged(draft: ToolsDraft): boolean {
  const { asks, tools } = changesOf(draft, [])
  return asks !== undefined || tools.length > 0
}
