import { Temporal } from 'temporal-polyfill'
import { toVisibleLine } from '../../lib/text.ts'

/** The values of the variables in instructions. */
export interface InstructionsContext {
  readonly name: string | null
  /** An IANA name that `readTimeZone` returned. */
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Used for a user without a name, so that a sentence such as "Help {{user}}" can still be read. */
const unnamedUser = 'the user'

/** Characters of a name, which the instructions can contain thousands of times. */
const maxNameChars = 100

/** A name in further braces, such as `{{{user}}}`, is not a variable. */
const variables = /(?<!\{)\{\{(?:user|date|time_zone)\}\}(?!\})/g

/**
 * Returns what a model is told: the instructions of the chat's project, then those of the bot, with their variables
 * replaced. Undefined when there are none.
 */
export function joinInstructions(
  project: string | null,
  bot: string | null,
  context: InstructionsContext,
): string | undefined {
  const texts = [project, bot].filter((text) => text !== null && text !== '')
  return texts.length === 0 ? undefined : fillInstructions(texts.join('\n\n'), context)
}

/**
 * Replaces the variables of instructions, in one pass, so that a value is never read as a variable. The result is the
 * same for a whole day, so that the provider's prompt cache still matches.
 */
export function fillInstructions(instructions: string, context: InstructionsContext): string {
  return instructions.replaceAll(variables, (variable) => {
    switch (variable) {
      case '{{user}}':
        return nameUser(context.name)
      case '{{date}}':
        return formatDate(context)
      default:
        return context.timeZone
    }
  })
}

function nameUser(name: string | null): string {
  const line = toVisibleLine(name ?? '')
  return line === '' ? unnamedUser : line.slice(0, maxNameChars).toWellFormed()
}

/** Formats the day as in "2026-11-24 (Tuesday)". */
function formatDate({ timeZone, now }: InstructionsContext): string {
  const day = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  return `${day.toString()} (${day.toLocaleString('en', { weekday: 'long' })})`
}

/** Returns the time zone that a browser sent; UTC for none, and for one that does not exist. */
export function readTimeZone(timeZone: string | null | undefined): string {
  if (!timeZone) return 'UTC'
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return timeZone
  } catch {
    return 'UTC'
  }
}
