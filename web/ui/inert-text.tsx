import type { ReactNode } from 'react'
import './inert-text.css'

/**
 * Characters that are invisible and can mislead the user: control characters except tab and line feed, direction marks,
 * zero-width spaces, tags, lone surrogates.
 */
const hiddenChars =
  /(?:(?![\n\t])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\p{Cs}])+/gu

/** In a longer sequence only the first character is named, and the others are counted. */
const maxNamedChars = 3
/** After this many sequences of a text, each further one is shown as one replacement character. */
const maxNamedSequences = 200
const replacement = '\uFFFD'

/**
 * Shows a text from a tool as plain text: its markup is not interpreted, and hidden characters are made visible
 * (§13.3).
 */
export function InertText({ children }: { readonly children: string }) {
  const text = children.replaceAll('\r\n', '\n')
  const parts: ReactNode[] = []
  let end = 0
  for (const { 0: sequence, index } of text.matchAll(hiddenChars)) {
    if (parts.length >= 2 * maxNamedSequences) break
    parts.push(
      text.slice(end, index),
      <span key={index} className="hidden-characters">
        {nameCharacters(sequence)}
      </span>,
    )
    end = index + sequence.length
  }
  return parts.length === 0 ? text : [...parts, text.slice(end).replaceAll(hiddenChars, replacement)]
}

function nameCharacters(text: string): string {
  const names = Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${code.padStart(4, '0')}`
  })
  if (names.length <= maxNamedChars) return names.join(' ')
  return `${names[0]} and ${names.length - 1} more hidden characters`
}
