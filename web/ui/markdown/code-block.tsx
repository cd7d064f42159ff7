import type { Element, ElementContent } from 'hast'
import { createContext, lazy, memo, Suspense, use, useDeferredValue, type ReactNode } from 'react'
import { CopyButton } from '../button/copy-button.tsx'
import { maxLanguageChars } from './split-blocks.ts'

const HighlightedCode = lazy(async () => ({
  default: (await import('./highlighted-code.tsx')).HighlightedCode,
}))

/** Longer code is not highlighted, since that would block the page. */
const maxHighlightedChars = 20_000

export interface CodeBlockProps {
  /** The language given after the opening fence, or an empty text. */
  readonly language: string
  readonly code: string
  /** Whether the block is complete. Only then is it highlighted, after the plain text is on the page. */
  readonly closed: boolean
}

/** Code with its language and a copy button. Highlighting changes neither text nor size, so nothing moves. */
export const CodeBlock = memo(function CodeBlock({ language, code, closed }: CodeBlockProps) {
  const isHighlighted = useDeferredValue(
    closed && language !== '' && code.length <= maxHighlightedChars,
    false,
  )
  return (
    <figure dir="ltr" className="markdown-code overflow-hidden rounded-card border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between pr-1.5 pl-4 text-xs leading-[1.65] text-muted">
        <span>{language === '' ? 'text' : language}</span>
        <CopyButton title="Copy code" text={code} />
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines scroll with the keyboard too */}
      <pre tabIndex={0} className="overflow-x-auto px-4 pb-3.5 font-mono text-code [tab-size:4]">
        <code>
          {isHighlighted ? (
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

/** Whether the block being rendered can still grow. */
export const BlockGrowing = createContext(false)

/** A code block inside a text block, for example in a list. Other fenced code is a `MarkdownBlock` of its own. */
export function CodeFence({
  node,
  children,
}: {
  readonly node: Element | undefined
  readonly children?: ReactNode
}) {
  const growing = use(BlockGrowing)
  const code = node?.children.find(
    (child): child is Element => 'tagName' in child && child.tagName === 'code',
  )
  if (code === undefined) return <pre>{children}</pre>
  return (
    <CodeBlock language={readLanguage(code)} code={readText(code).replace(/\n$/, '')} closed={!growing} />
  )
}

function readLanguage(code: Element): string {
  const names = code.properties['className']
  const name = Array.isArray(names) ? names.find((entry) => entry.startsWith('language-')) : undefined
  return name === undefined ? '' : name.slice('language-'.length).slice(0, maxLanguageChars)
}

function readText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(readText).join('') : ''
}
