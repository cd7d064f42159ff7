import type { ReactNode } from 'react'

/**
 * Invisible characters that reorder a text, hide in it or are meant for a model alone: control characters except tab and
 * line feed, direction marks, zero-width spaces, tags, lone surrogates.
 */
const hidden =
  /(?:(?![\n\t])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\p{Cs}])+/gu

/** Up to this many hidden characters in a row are named one by one. */
const maxNamed = 3
/** The characters of up to this many places in a text are named; each further place gets a replacement character. */
const maxPlaces = 200
const replacement = '\uFFFD'

/** Shows a text from a tool as plain text: its markup is not interpreted, and hidden characters are made visible (§13.3). */
export function InertText({ children }: { readonly children: string }) {
  const text = children.replaceAll('\r\n', '\n')
  const parts: ReactNode[] = []
  let end = 0
  for (const { 0: sequence, index } of text.matchAll(hidden)) {
    if (parts.length >= 2 * maxPlaces) break
    parts.push(
      text.slice(end, index),
      <span key={index} className="hidden-characters">
        {nameCharacters(sequence)}
      </span>,
    )
    end = index + sequence.length
  }
  return parts.length === 0 ? text : [...parts, text.slice(end).replaceAll(hidden, replacement)]
}

function nameCharacters(text: string): string {
  const names = Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${code.padStart(4, '0')}`
  })
  if (names.length <= maxNamed) return names.join(' ')
  return `${names[0]} and ${names.length - 1} more hidden characters`
}
