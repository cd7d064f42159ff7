import { lazy, memo, Suspense, useDeferredValue } from 'react'
import { CopyButton } from '../button/copy-button.tsx'

const HighlightedCode = lazy(async () => ({
  default: (await import('./highlighted-code.tsx')).HighlightedCode,
}))

/** Characters beyond which colours would hold up the page. */
const highlightLimit = 20_000

export interface CodeBlockProps {
  /** As the fence names it; empty when it does not. */
  readonly language: string
  readonly code: string
  /** Colours come when the block is closed, and after the text itself is on the page. */
  readonly closed: boolean
}

/** Code with its language and a button to copy it. Colouring it changes neither text nor size, so nothing moves. */
export const CodeBlock = memo(function CodeBlock({ language, code, closed }: CodeBlockProps) {
  const colours = useDeferredValue(closed && language !== '' && code.length <= highlightLimit, false)
  return (
    <figure className="markdown-code" dir="ltr">
      <figcaption>
        <span>{language === '' ? 'text' : language}</span>
        <CopyButton title="Copy code" text={code} />
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines scroll with the keyboard too */}
      <pre tabIndex={0}>
        <code>
          {colours ? (
            <Suspense fallback={code}>
              <HighlightedCode language={language} code={code} />
            </Suspense>
          ) : (
            code
          )}
        </code>
      </pre>
    </figure>
  )
})
