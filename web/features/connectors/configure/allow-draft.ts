import type { Connector } from '@yonder/contract/connector'

type AllowTools = readonly string[] | null

/** The unsaved choice of the tools that run without approval. */
export interface AllowDraft {
  /** The stored list when the user began to change it. */
  readonly before: AllowTools
  /** Whether every tool runs without approval. `names` stays, in case the user changes this back (§18.6). */
  readonly everyTool: boolean
  readonly names: readonly string[]
}

export function allowDraftOf(allowTools: Connector['allow_tools']): AllowDraft {
  return { before: allowTools, everyTool: allowTools === null, names: allowTools ?? [] }
}

/** Adds a typed name, trimmed, unless it is empty or already in the list (§5.16). */
export function addToolName(names: readonly string[], typed: string): readonly string[] {
  const name = typed.trim()
  return name === '' || names.includes(name) ? names : [...names, name]
}

/** Returns the list for the request; null means that no tool needs approval. */
export function allowToolsOf({ everyTool, names }: AllowDraft): string[] | null {
  return everyTool ? null : [...names]
}

/**
 * Applies the user's additions and removals to the list stored now, since other tools can have been allowed meanwhile
 * (§18.25).
 */
export function applyDraft(draft: AllowDraft, stored: AllowTools): AllowTools {
  const { before, everyTool, names } = draft
  if (everyTool) return before === null ? stored : null
  const removed = new Set(before?.filter((name) => !names.includes(name)))
  const added = addedNames(draft)
  if (before !== null && removed.size === 0 && added.length === 0) return stored
  // If every tool has been allowed meanwhile, the user's list is used, since it allows fewer tools.
  const kept = (stored ?? before ?? []).filter((name) => !removed.has(name))
  return [...new Set([...kept, ...added])]
}

/** Whether saving a draft would change the list that was stored when the user began. */
export function isAllowDraftChanged(draft: AllowDraft): boolean {
  return JSON.stringify(allowToolsOf(draft)) !== JSON.stringify(draft.before)
}

/** The names that a draft adds to the stored list. */
export function addedNames({ before, everyTool, names }: AllowDraft): readonly string[] {
  return everyTool ? [] : names.filter((name) => before?.includes(name) !== true)
}
