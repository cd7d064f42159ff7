import type { ReadDocument } from '../read-outcome.ts'
import type { LimitedText } from './limited-text.ts'
import { UnreadableError } from './problems.ts'

/** Reads text, code, CSV, JSON, Markdown and HTML. */
export function readText(bytes: Buffer, text: LimitedText): ReadDocument {
  text.add(decode(bytes).trimEnd())
  text.endPart()
  return { unit: 'line', parts: text.parts, total: text.lines }
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // The upload has looked only at the beginning.
  if (bytes.includes(0)) throw new UnreadableError('notText')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
