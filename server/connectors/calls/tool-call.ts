import { readJson, RepeatedKeyError } from '@yonder/contract/lib/exact-json'
import type { Approval, ResultPart, ToolOutcomeStatus } from '@yonder/contract/tool-call'
import { AppError } from '../../lib/app-error.ts'
import { isDeeperThan, maxArgumentsDepth } from '../../lib/canonical-json.ts'
import { cleanText } from '../../lib/text.ts'

/** A file in a result that is not stored yet. */
export interface ResultFile {
  readonly type: 'image' | 'audio' | 'file'
  /** As the server states it, except of an image. */
  readonly mimeType: string
  /** Base64. */
  readonly data: string
  readonly name?: string
}

type FilePart = Extract<ResultPart, { readonly file: string }>

/** A part of a result, in which files are whatever `File` is: their data, or references once they are stored. */
export type PartWith<File> = Exclude<ResultPart, FilePart> | File
export type OutcomePart = PartWith<ResultFile>

export interface ToolOutcome {
  readonly status: ToolOutcomeStatus
  /** What the model gets: the text of the result, or why there is no result. */
  readonly text: string
  /** What the user sees. */
  readonly parts: readonly OutcomePart[]
  /** Milliseconds, without the time spent waiting for the user. */
  readonly duration: number
  /** The tool was not called, because the user or the operator has blocked it. */
  readonly blocked?: true
  /** Size of the result as JSON; 0 when there is none or it is nested too deeply. */
  readonly bytes: number
}

/** Why a call may run. */
export type CallApproval = Exclude<Approval, 'denied' | 'expired'>

/** What is recorded of the decision about a call. */
export interface DecidedBy {
  /** The reply that makes the call. */
  readonly messageId: string
  /** When and on which device the user decided; absent when no user decided about this call. */
  readonly at?: number
  readonly on?: string
  /** Whether the user changed the arguments. */
  readonly edited?: boolean
}

/** Creates the outcome of a call without a result; `text` explains why. */
export function failure(text: string, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return { status: 'failed', text, parts: [{ type: 'note', text }], duration: 0, bytes: 0, ...rest }
}

const unknownOutcome = 'The outcome is unknown: the tool may or may not have finished.'

/** The outcome of a call that was sent and has no result; `reason` says why. The model must not simply repeat it. */
export function unknownFailure(reason: string, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  const text = `${reason} ${unknownOutcome}`
  return failure(`${text} Check, or ask the user, before you call it again.`, {
    parts: [{ type: 'note', text }],
    ...rest,
  })
}

/** The outcome of a call that the user stopped. */
export function stoppedCall(wasSent: boolean, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  const stopped = { status: 'stopped', ...rest } as const
  return wasSent
    ? unknownFailure('The call was stopped.', stopped)
    : failure('The call was stopped before it was sent, so the tool was not called.', stopped)
}

/** The outcome of a call during which the process that made it shut down or died. */
export function interruptedCall(wasSent: boolean, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return wasSent
    ? unknownFailure('Yonder shut down during the call.', { status: 'interrupted', ...rest })
    : failure('Yonder shut down before the call was sent, so the tool was not called.', rest)
}

/** Adds a sentence to the outcome of a call, for the model and the user. */
export function addNote(outcome: ToolOutcome, text: string): ToolOutcome {
  const parts = [{ type: 'note', text } as const, ...outcome.parts]
  return { ...outcome, parts, text: `[${text}]\n${outcome.text}` }
}

/** Like `failure`, with advice that only the model reads, because the user cannot follow it. */
export function failureWithAdvice(
  reason: string,
  advice: string,
  rest: Partial<ToolOutcome> = {},
): ToolOutcome {
  return failure(`${reason} ${advice}`.trim(), { parts: [{ type: 'note', text: reason }], ...rest })
}

/**
 * Returns the arguments of a call, given as a JSON object or its text, with numbers as they were written
 * (`ExactNumber`). Without arguments, returns an empty object. A repeated key is refused, because only one of its values
 * could be sent.
 * @throws AppError `invalid_request`
 */
export function readArguments(given: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = typeof given === 'string' ? parse(given) : (given ?? {})
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_request', 'The arguments of a tool must be a JSON object.')
  }
  if (isDeeperThan(value, maxArgumentsDepth)) {
    throw new AppError(
      'invalid_request',
      `The arguments of a tool can be nested at most ${maxArgumentsDepth} levels deep.`,
    )
  }
  return value as Readonly<Record<string, unknown>>
}

function parse(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return readJson(text, { refusesRepeatedKeys: true })
  } catch (error) {
    if (error instanceof RepeatedKeyError)
      throw new AppError('invalid_request', `The arguments have ${cleanText(error.message)}.`, {
        cause: error,
      })
    throw new AppError('invalid_request', 'The arguments of a tool must be valid JSON.', { cause: error })
  }
}
