import type { ReactNode } from 'react'

/**
 * What nobody sees but what turns a text around, hides in it or speaks to a model alone: control characters but for tab and
 * line break, marks of direction, spaces without width, tags, halves of characters.
 */
const hidden =
  /(?:(?![\n\t])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\p{Cs}])+/gu

/** Hidden characters in a row that are named one by one. */
const mostNamed = 3
/** Places of a text where they are named; from there on a sign stands for each. */
const mostPlaces = 200
const sign = '\uFFFD'

/** A text of a tool, to read and nothing else: no markup is made of it, and what hides in it is made visible. */
export function InertText({ children }: { readonly children: string }) {
  const text = children.replaceAll('\r\n', '\n')
  const pieces: ReactNode[] = []
  let end = 0
  for (const { 0: run, index } of text.matchAll(hidden)) {
    if (pieces.length >= 2 * mostPlaces) break
    pieces.push(
      text.slice(end, index),
      <span key={index} className="hidden-characters">
        {nameCharacters(run)}
      </span>,
    )
    end = index + run.length
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(end).replaceAll(hidden, sign)]
}

function nameCharacters(text: string): string {
  const names = Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${code.padStart(4, '0')}`
  })
  if (names.length <= mostNamed) return names.join(' ')
  return `${names[0]} and ${names.length - 1} more hidden characters`
}
