import { AppError } from '../../lib/app-error.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\0-\x08\x0b-\x1f\x7f\u2028\u2029]/
/** Tag characters, and what turns the direction of everything after it: nobody sees them who approves the text. */
const unseen = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069]/u

/** The flags of England, Scotland and Wales are written with tag characters, and can be seen. */
const flags = /\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}/gu

/**
 * Text that goes out must be what the person saw: no control characters and nothing invisible. A line end is `\n`.
 * @throws AppError `invalid_request`
 */
export function requirePlainText(name: string, text: string): string {
  const plain = text.replaceAll('\r\n', '\n')
  if (controls.test(plain) || unseen.test(plain.replaceAll(flags, '')) || !plain.isWellFormed()) {
    throw new AppError('invalid_request', `"${name}" holds characters that cannot be seen. Nothing was done.`)
  }
  return plain
}

/**
 * One line of such text: a line end in a header would begin another header.
 * @throws AppError `invalid_request`
 */
export function requireLine(name: string, text: string): string {
  const plain = requirePlainText(name, text)
  if (/[\r\n]/.test(plain)) {
    throw new AppError('invalid_request', `"${name}" must be one line. Nothing was done.`)
  }
  return plain.trim()
}
