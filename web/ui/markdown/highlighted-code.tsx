import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { common, createLowlight } from 'lowlight'
import { memo, useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

const lowlight = createLowlight(common)

interface HighlightedCodeProps {
  readonly language: string
  readonly code: string
}

/** Highlighted code as React elements, since the Content Security Policy forbids HTML strings. */
export function HighlightedCode({ language, code }: HighlightedCodeProps) {
  const name = language.toLowerCase()
  const parts = useMemo(() => splitCode(code), [code])
  if (!lowlight.registered(name)) return code
  // oxlint-disable-next-line react/no-array-index-key -- closed code does not change
  return parts.map((part, index) => <Part key={index} language={name} code={part} />)
}

const Part = memo(function Part({ language, code }: HighlightedCodeProps) {
  return toJsxRuntime(lowlight.highlight(language, code), { Fragment, jsx, jsxs })
})

/**
 * The rules of some languages take a time that grows with the square of the code, so longer code is highlighted in parts,
 * between which the page can answer the user.
 */
const maxPartChars = 4000

/** Splits code before a line that follows a blank one and is not indented, where a string or comment seldom continues. */
function splitCode(code: string): readonly string[] {
  const parts: string[] = []
  for (let start = 0; start < code.length; start += parts.at(-1)?.length ?? 0) {
    const part = code.slice(start, start + maxPartChars)
    const length = /^[\s\S]*\n\n(?=[^\s})\]])/.exec(part)?.[0].length ?? part.lastIndexOf('\n') + 1
    parts.push(start + part.length === code.length || length === 0 ? part : part.slice(0, length))
  }
  return parts
}
