import { ModelFailure } from '../failure.ts'
import type { DialectMemory } from './dialect-memory.ts'
import { findRefusedField, type OptionalField } from './optional-fields.ts'

/** How a request is written for servers that do not support all of its fields. */
export interface Dialect {
  /** Optional fields that are not sent. */
  readonly leftOut: readonly OptionalField[]
}

export interface DialectCalls<Own extends Dialect> {
  readonly memory: DialectMemory | undefined
  readonly signal: AbortSignal
  /** The name under which the dialect is remembered, and the one to begin with. */
  readonly open: () => { readonly key: string; readonly first: Own }
  readonly call: (dialect: Own) => Promise<void>
  /** The body that was sent last. */
  readonly sentBody: () => string
  /** Whether a part of the reply was received, so that the call must not be repeated. */
  readonly hasContent: () => boolean
  /** The dialect to try next; undefined when another one would not help. `rejection` is not empty. */
  readonly adapt: (dialect: Own, rejection: string) => Own | undefined
  /** Replaces an error by one that says more. */
  readonly explain: (error: unknown) => unknown
}

/**
 * Calls a model, and again in another dialect when it refuses a field. The dialect that it took is remembered.
 * @throws the explained error of the last call
 */
export async function callInDialects<Own extends Dialect>(calls: DialectCalls<Own>): Promise<void> {
  const { memory, signal } = calls
  const { key, first } = calls.open()
  let dialect = (memory?.find(key) as Own | undefined) ?? first
  let isAdapted = false
  while (!signal.aborted) {
    try {
      await calls.call(dialect)
      if (isAdapted) memory?.remember(key, dialect)
      return
    } catch (error) {
      if (signal.aborted || calls.hasContent()) throw error
      const next = findNext(calls, dialect, error)
      if (next === undefined) {
        const reason = calls.explain(error)
        // Whatever else was refused, the fields were taken.
        if (reason !== error && isAdapted) memory?.remember(key, dialect)
        // What was remembered may be the reason, so the next call starts afresh.
        else if (reason === error && readRejection(error) !== '') memory?.forget(key)
        throw reason
      }
      dialect = next
      isAdapted = true
    }
  }
}

function findNext<Own extends Dialect>(
  { adapt, sentBody }: DialectCalls<Own>,
  dialect: Own,
  error: unknown,
): Own | undefined {
  const rejection = readRejection(error)
  if (rejection === '') return undefined
  const next = adapt(dialect, rejection)
  if (next !== undefined) return next
  const field = findRefusedField(rejection, sentBody())
  if (field === undefined || dialect.leftOut.includes(field)) return undefined
  return { ...dialect, leftOut: [...dialect.leftOut, field] }
}

function readRejection(error: unknown): string {
  return error instanceof ModelFailure ? error.rejection : ''
}
