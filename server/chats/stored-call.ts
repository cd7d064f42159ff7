import type { ToolChange } from '@yonder/contract/tool-call'

/** A tool call of a model, with the tool that its name referred to when the call was made. */
export interface BatchCall {
  /** The model's id of the call. */
  readonly id: string
  /** The tool's name in the request to the model. */
  readonly name: string
  /** A JSON object as text. */
  readonly arguments: string
  /** Data that the model's adapter expects back with the call. */
  readonly note?: unknown
  /** The tool that the name refers to; absent for a name that the model made up. */
  readonly target?: { readonly connectorName: string; readonly toolName: string }
}

/** The `call` column of a reply. The connector, the tool and the arguments have columns of their own. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly note?: unknown
  /** True for a call of a tool that does not exist; it cannot run. */
  readonly unknown?: true
  /** True when it belongs to the same turn of the model as the call before it on the path. */
  readonly continues?: true
  /** The tool's display name. */
  readonly title?: string
  readonly changes?: readonly ToolChange[]
  /** The version of the tool that the user decides about; no other version is called. */
  readonly fingerprint?: string
  /** The calls of the same turn that come after this one. */
  readonly rest: readonly BatchCall[]
}

/** Parses the stored form of a call. */
export function parseCall(stored: string): StoredCall {
  return JSON.parse(stored) as StoredCall
}
