import type { Element, ElementContent } from 'hast'
import { WrapText } from 'lucide-react'
import { createContext, lazy, memo, Suspense, use, useDeferredValue, useMemo, type ReactNode } from 'react'
import { createStoredValue } from '../../lib/browser-storage.ts'
import { useStore } from '../../lib/store.ts'
import { CopyButton } from '../button/copy-button.tsx'
import { IconButton } from '../button/icon-button.tsx'
import { classNames } from '../class-names.ts'
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

/** Whether long lines of code are wrapped, in every block of this browser. */
const wrapPreference = createStoredValue('wrapCodeLines', (text) => text === 'true')

/** Lines with more characters may be wider than a phone, and than the column of messages. */
const narrowLineChars = 36
const wideLineChars = 80

/**
 * Code with its language, a button that wraps long lines, and one that copies. This header stays in view while a long
 * block is scrolled. Highlighting changes neither text nor size, so nothing moves.
 */
export const CodeBlock = memo(function CodeBlock({ language, code, closed }: CodeBlockProps) {
  const isHighlighted = useDeferredValue(
    closed && language !== '' && code.length <= maxHighlightedChars,
    false,
  )
  const isWrapped = useStore(wrapPreference)
  const longest = useMemo(
    () => code.split('\n').reduce((max, { length }) => Math.max(max, length), 0),
    [code],
  )
  return (
    // Not `overflow-hidden`, within which the header would not stick to the window.
    <figure dir="ltr" className="markdown-code overflow-clip rounded-card border border-line bg-sunken">
      <figcaption className="sticky top-header-end z-1 flex min-h-9 items-center bg-sunken pr-1.5 pl-4 text-xs leading-[1.65] text-muted">
        <span className="mr-auto">{language === '' ? 'text' : language}</span>
        {longest > narrowLineChars && (
          <span className={classNames('flex', longest <= wideLineChars && 'sm:hidden')}>
            <IconButton
              label="Wrap lines"
              size="small"
              aria-pressed={isWrapped}
              onClick={() => wrapPreference.set(!isWrapped)}
            >
              <WrapText size={16} aria-hidden />
            </IconButton>
          </span>
        )}
        <CopyButton title="Copy code" text={code} />
      </figcaption>
      <pre
        // Long lines scroll with the keyboard too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={classNames(
          'px-4 pb-3.5 font-mono text-code [tab-size:4]',
          isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : 'overflow-x-auto',
        )}
      >
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
