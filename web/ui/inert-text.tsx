import { findInvisible } from '@yonder/contract/lib/invisible'
import { cutText } from '@yonder/contract/message-text'
import './inert-text.css'
import { Fragment, useState, type ReactNode } from 'react'
import { LongText } from './long-text.tsx'

/** At most this many sequences of invisible characters are marked in a text, to limit the number of elements. */
const maxMarks = 200

/**
 * Shows a text from a tool as plain text: its markup is not interpreted, and each invisible character is shown by its
 * number.
 */
export function InertText({ children }: { readonly children: string }) {
  return <LongText text={numberUnmarked(children.replaceAll('\r\n', '\n'))} draw={markInvisible} />
}

/** Replaces each sequence of invisible characters after the first `maxMarks` by its numbers in square brackets. */
function numberUnmarked(text: string): string {
  const unmarked = findInvisible(text).slice(maxMarks)
  if (unmarked.length === 0) return text
  let result = ''
  let end = 0
  for (const { characters, index } of unmarked) {
    result += `${text.slice(end, index)}[${formatCodePoints(characters)}]`
    end = index + characters.length
  }
  return result + text.slice(end)
}

function markInvisible(text: string): ReactNode {
  const found = findInvisible(text)
  if (found.length === 0) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const { characters, index } of found) {
    parts.push(
      <Fragment key={index}>
        {text.slice(end, index)}
        <span className="hidden-characters">{formatCodePoints(characters)}</span>
      </Fragment>,
    )
    end = index + characters.length
  }
  return [...parts, text.slice(end)]
}

/** Returns the Unicode numbers of the characters, such as `U+200B U+00AD`. */
export function formatCodePoints(characters: string): string {
  const numbers = Array.from(characters, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${code.padStart(4, '0')}`
  })
  return numbers.join(' ')
}

/**
 * The name of a tool as its server has it. Spaces at its ends are shown by their numbers, like invisible characters.
 */
export function ToolName({ children }: { readonly children: string }) {
  const name = children.trim()
  const start = children.indexOf(name)
  const end = start + name.length
  return (
    <>
      {start > 0 && <Spaces>{children.slice(0, start)}</Spaces>}
      <InertText>{name}</InertText>
      {end < children.length && <Spaces>{children.slice(end)}</Spaces>}
    </>
  )
}

function Spaces({ children }: { readonly children: string }) {
  return <span className="hidden-characters">{formatCodePoints(children)}</span>
}

/** A longer text is cut to this length until the user opens it. */
const maxFoldedChars = 280

/** A text from a tool. A long one is cut until the user presses 'Show all'. */
export function FoldedText({ children }: { readonly children: string }) {
  const [isOpen, setOpen] = useState(false)
  const { text, isCut } = cutText(children, maxFoldedChars)
  return (
    <>
      <span dir="auto" className="whitespace-pre-line wrap-anywhere">
        <InertText>{isOpen || !isCut ? children : `${text}\u2026`}</InertText>
      </span>
      {isCut && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="ml-1.5 font-medium text-accent print:hidden underline-offset-2 hover:underline"
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
