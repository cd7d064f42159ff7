import { findInvisible } from '@yonder/contract/lib/invisible'
import { refusal } from './errors.ts'

// oxlint-disable-next-line no-control-regex -- the expression searches for control characters
const controlCharacters = /[\0-\x08\x0b-\x1f\x7f\u2028\u2029]/
/** The invisible characters that can hide or reverse text: tags and direction controls. */
const misleadingCharacters = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069]/u

const bareAddress = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/

/**
 * Returns the text with `\n` as line ends. Text that leaves the product must be what the user saw, so control
 * characters except tabs and line feeds, and misleading invisible characters, are refused.
 * @throws AppError `invalid_request`
 */
export function requirePlainText(field: string, text: string): string {
  const plain = text.replaceAll('\r\n', '\n')
  if (
    controlCharacters.test(plain) ||
    findInvisible(plain).some(({ characters }) => misleadingCharacters.test(characters)) ||
    !plain.isWellFormed()
  ) {
    throw refusal(`"${field}" contains control or invisible characters. Remove them.`)
  }
  return plain
}

/**
 * Returns plain text on one line, trimmed. A line end is refused: in the subject of an email it would start another
 * header.
 * @throws AppError `invalid_request`
 */
export function requireLine(field: string, text: string): string {
  const plain = requirePlainText(field, text)
  if (plain.includes('\n')) {
    throw refusal(`"${field}" must be one line.`)
  }
  return plain.trim()
}

/**
 * Returns the trimmed addresses. Display names are refused, because one could mislead the user who approves the call.
 * @throws AppError `invalid_request`
 */
export function requireAddresses(field: string, addresses: readonly string[] | undefined): string[] {
  return (addresses ?? []).map((text) => {
    const address = requireLine(field, text)
    if (address.length <= 254 && bareAddress.test(address)) return address
    throw refusal(`"${address.slice(0, 100)}" in "${field}" is not a plain address such as ann@example.com.`)
  })
}
