import type { Connector } from '@yonder/contract/connector'

type AllowTools = readonly string[] | null

/** Which tools run without asking, as it is being changed. */
export interface AllowDraft {
  /** What was stored when the change began. */
  readonly before: AllowTools
  /** No tool asks first; the names are kept in case the user changes back. */
  readonly everyTool: boolean
  readonly names: readonly string[]
}

export function allowDraftOf(allowTools: Connector['allow_tools']): AllowDraft {
  return { before: allowTools, everyTool: allowTools === null, names: allowTools ?? [] }
}

/** Adds a name as it was typed: trimmed, and neither nothing nor one that is there already (§5.16). */
export function addToolName(names: readonly string[], typed: string): readonly string[] {
  const name = typed.trim()
  return name === '' || names.includes(name) ? names : [...names, name]
}

/** As it is sent: null says that nothing asks. */
export function allowToolsOf({ everyTool, names }: AllowDraft): string[] | null {
  return everyTool ? null : [...names]
}

/** Applies what the user added and removed to the stored list, since other tools may have been allowed meanwhile. */
export function applyDraft(draft: AllowDraft, now: AllowTools): AllowTools {
  const { before, everyTool, names } = draft
  if (everyTool) return before === null ? now : null
  const removed = new Set(before?.filter((name) => !names.includes(name)))
  const added = addedNames(draft)
  if (before !== null && removed.size === 0 && added.length === 0) return now
  // Where every tool is allowed by now, the user's list is used: it allows fewer tools.
  const kept = (now ?? before ?? []).filter((name) => !removed.has(name))
  return [...new Set([...kept, ...added])]
}

/** The names that a draft puts on the list. */
export function addedNames({ before, everyTool, names }: AllowDraft): readonly string[] {
  return everyTool ? [] : names.filter((name) => before?.includes(name) !== true)
}
