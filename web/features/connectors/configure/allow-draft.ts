import type { Connector, ConnectorTool } from '@yonder/contract/connector'

type AllowTools = readonly string[] | null

/** A tool needs approval (`asks`), runs without (`allowed`), or is not offered to models (`blocked`). */
export type ToolState = 'asks' | 'allowed' | 'blocked'

/** The unsaved choice of the tools that run without approval. */
export interface AllowDraft {
  /** The stored list when the user began to change it. */
  readonly before: AllowTools
  /** Whether every tool runs without approval. `names` stays, in case the user changes this back. */
  readonly allowsEveryTool: boolean
  readonly names: readonly string[]
}

export function allowDraftOf(allowTools: Connector['allow_tools']): AllowDraft {
  return { before: allowTools, allowsEveryTool: allowTools === null, names: allowTools ?? [] }
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

/**
 * Applies the user's additions and removals to the list stored now, since other tools can have been allowed meanwhile.
 */
export function applyDraft(draft: AllowDraft, stored: AllowTools): AllowTools {
  const { before, allowsEveryTool, names } = draft
  if (allowsEveryTool) return before === null ? stored : null
  const removed = new Set(before?.filter((name) => !names.includes(name)))
  const added = addedNames(draft)
  if (before !== null && removed.size === 0 && added.length === 0) return stored
  // If every tool has been allowed meanwhile, the user's list is used, since it allows fewer tools.
  const kept = (stored ?? before ?? []).filter((name) => !removed.has(name))
  return [...new Set([...kept, ...added])]
}

/** The unsaved choice of the allowed and of the blocked tools. */
export interface ToolsDraft {
  readonly allow: AllowDraft
  readonly blockedBefore: readonly string[]
  readonly blocked: readonly string[]
}

export function toolsDraftOf({ allow_tools, block_tools = [] }: Connector): ToolsDraft {
  return { allow: allowDraftOf(allow_tools), blockedBefore: block_tools, blocked: block_tools }
}

/** Returns the state of a tool. Without a list of allowed tools, each tool that is not blocked is allowed. */
export function stateOf(name: string, { allow: { allowsEveryTool, names }, blocked }: ToolsDraft): ToolState {
  if (blocked.includes(name)) return 'blocked'
  return allowsEveryTool || names.includes(name) ? 'allowed' : 'asks'
}

/** Puts a tool into one state, so that it is never in both lists. */
export function withState(draft: ToolsDraft, name: string, state: ToolState): ToolsDraft {
  const { names } = draft.allow
  const update = (list: readonly string[], shouldContain: boolean) =>
    shouldContain === list.includes(name)
      ? list
      : shouldContain
        ? [...list, name]
        : list.filter((other) => other !== name)
  // While every tool runs without approval, `names` is the list that is used again when the user turns that off.
  const isAllowed = state === 'allowed' && (!draft.allow.allowsEveryTool || names.includes(name))
  return {
    ...draft,
    allow: { ...draft.allow, names: update(names, isAllowed) },
    blocked: update(draft.blocked, state === 'blocked'),
  }
}

/** Changes the allowed tools of a draft. A tool that was added to them is no longer blocked. */
export function withAllowed(draft: ToolsDraft, allow: AllowDraft): ToolsDraft {
  const added = allow.names.filter((name) => !draft.allow.names.includes(name))
  return { ...draft, allow, blocked: draft.blocked.filter((name) => !added.includes(name)) }
}

/** The names that a draft blocks or unblocks. */
function changedNames({ blockedBefore, blocked }: ToolsDraft): ReadonlySet<string> {
  return new Set([
    ...blocked.filter((name) => !blockedBefore.includes(name)),
    ...blockedBefore.filter((name) => !blocked.includes(name)),
  ])
}

/** Applies the user's changes to the tools blocked now, since another tab can have blocked others meanwhile. */
export function applyBlocked(draft: ToolsDraft, stored: readonly string[]): readonly string[] {
  const changed = changedNames(draft)
  return [
    ...stored.filter((name) => !changed.has(name)),
    ...draft.blocked.filter((name) => changed.has(name)),
  ]
}

export function isToolsDraftChanged(draft: ToolsDraft): boolean {
  return isAllowDraftChanged(draft.allow) || changedNames(draft).size > 0
}

/** Whether saving a draft would change the list that was stored when the user began. */
export function isAllowDraftChanged(draft: AllowDraft): boolean {
  return JSON.stringify(allowToolsOf(draft)) !== JSON.stringify(draft.before)
}

/** The names that a draft adds to `before`; none while every tool runs without approval. */
export function addedNames({ before, allowsEveryTool, names }: AllowDraft): readonly string[] {
  return allowsEveryTool ? [] : names.filter((name) => before?.includes(name) !== true)
}
