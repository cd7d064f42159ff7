import type { ToolChange } from '@yonder/contract/tool-call'

/** A call that a model asked for, with the tool that its name stood for at that time. */
export interface BatchCall {
  /** The model's own id for it. */
  readonly id: string
  /** The tool's name as the model knows it. */
  readonly name: string
  /** The text of a JSON object. */
  readonly arguments: string
  /** What the model's adapter wants back with the call. */
  readonly note?: unknown
  /** Whose tool the name stands for; absent for a name that the model made up. */
  readonly target?: { readonly connectorName: string; readonly toolName: string }
}

/** What the row of a reply keeps of its call, beside the connector, the tool and the arguments. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly note?: unknown
  /** True for a call of a tool that the model made up: there is nothing to run. */
  readonly unknown?: true
  /** It belongs to the same turn of the model as the call before it on the path. */
  readonly continues?: true
  /** The tool's name for people. */
  readonly title?: string
  readonly changes?: readonly ToolChange[]
  /** The tool as it was decided on: another one is not called in its place. */
  readonly fingerprint?: string
  /** The calls of the same turn that come after this one. */
  readonly rest: readonly BatchCall[]
}

/** A call as it was stored. */
export function parseCall(stored: string): StoredCall {
  return JSON.parse(stored) as StoredCall
}
