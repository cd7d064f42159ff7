import { findInvisible } from '@yonder/contract/lib/invisible'
import { readArguments } from '../../connectors/calls/tool-call.ts'
import type { CallTarget } from '../../connectors/tools/adapt-tools.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { toVisibleLine } from '../../lib/text.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { maxCallChars } from '../loop/call-model.ts'

/** What a user sends in place of the arguments of a call: an object or its JSON text. */
export type GivenArguments = string | Readonly<Record<string, unknown>>

export interface CallToEdit {
  readonly target: CallTarget
  /** The arguments that the model proposed. */
  readonly proposed: string
  /** The version of the tool that the user saw. */
  readonly fingerprint: string | undefined
}

/**
 * Checks arguments that a user has changed, and returns them as JSON text; undefined when they are equal to those that
 * the model proposed. Nobody can approve what they cannot see, so no invisible characters may be added.
 * @throws AppError `invalid_request`
 */
export async function readEdited(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  user: User,
  { target, proposed, fingerprint }: CallToEdit,
  given: GivenArguments,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  if (text.length > maxCallChars)
    throw refused(`have more than ${maxCallChars.toLocaleString('en')} characters. Shorten them`)
  const values = readArguments(given)
  const before = readIfValid(proposed)
  if (before !== undefined && canonicalJson(values) === canonicalJson(before)) return undefined
  refuseHidden(values, before ?? {})
  const edited = JSON.stringify(values)
  const resolved = await connectors.resolveTool(user, target)
  // A tool that is gone or has changed is not called; the result of the call says why.
  if (resolved.kind === 'missing' || resolved.tool.fingerprint !== fingerprint) return edited
  const problem = await connectors.checkArguments(user, resolved.tool, edited, signal)
  if (problem === undefined) return edited
  throw new AppError('invalid_request', `The call was not made. ${problem}\nCorrect them and try again.`)
}

function readIfValid(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readArguments(text)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function refused(reason: string): AppError {
  return new AppError('invalid_request', `The changed arguments ${reason}, and try again.`)
}

/** Characters of a place in a sentence. */
const maxPlaceChars = 100

/** @throws AppError when the values have an invisible character more often than those before */
function refuseHidden(values: object, before: object): void {
  const known = new Map<string, number>()
  for (const { hidden } of listHidden(before))
    for (const character of hidden) known.set(character, (known.get(character) ?? 0) + 1)
  for (const { place, hidden } of listHidden(values)) {
    for (const character of hidden) {
      const left = known.get(character) ?? 0
      if (left === 0) {
        const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
        const shown = toVisibleLine(place.slice(-maxPlaceChars)).toWellFormed()
        throw refused(`contain an invisible character (U+${code}), in "${shown}". Remove it`)
      }
      known.set(character, left - 1)
    }
  }
}

interface HiddenCharacters {
  /** The keys that lead to the text, or to the object whose key contains them. */
  readonly place: string
  readonly hidden: readonly string[]
}

/** Finds the invisible characters in all keys and texts, except those that an emoji or a script needs. */
function* listHidden(value: unknown, place = ''): Generator<HiddenCharacters> {
  if (typeof value === 'string') {
    const hidden = findInvisible(value).flatMap(({ characters }) => Array.from(characters))
    if (hidden.length > 0) yield { place, hidden }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* listHidden(item, `${place}[${index}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const inner = place === '' ? key : `${place}.${key}`
      yield* listHidden(key, inner)
      yield* listHidden(item, inner)
    }
  }
}
