import type { Element } from 'hast'
import katex from 'katex'
import 'katex/dist/katex.min.css'
import { memo, useLayoutEffect, useRef } from 'react'
import ReactMarkdown, { defaultUrlTransform, type Components } from 'react-markdown'
import remarkMath from 'remark-math'
import { CodeFence } from './code-block.tsx'
import { markdownComponents } from './markdown-components.tsx'
import { markdownPlugins } from './markdown-plugins.ts'

export const mathPlugins: typeof markdownPlugins = [
  ...markdownPlugins,
  [remarkMath, { singleDollarTextMath: false }],
]

const components: Components = {
  ...markdownComponents,
  pre: ({ node, children }) => {
    const tex = findDisplayTex(node)
    return tex === undefined ? <CodeFence node={node}>{children}</CodeFence> : <Formula tex={tex} display />
  },
  code: ({ node, className, children }) =>
    hasClass(node, 'math-inline') ? (
      <Formula tex={textOf(node)} display={false} />
    ) : (
      <code className={className}>{children}</code>
    ),
}

/** Renders a block of markdown whose formulas `normalizeMaths` has put between double dollars. */
export function MathText({ source }: { readonly source: string }) {
  return (
    <ReactMarkdown remarkPlugins={mathPlugins} components={components} urlTransform={defaultUrlTransform}>
      {source}
    </ReactMarkdown>
  )
}

function findDisplayTex(pre: Element | undefined): string | undefined {
  const code = pre?.children.find((child): child is Element => 'tagName' in child)
  return hasClass(code, 'math-display') ? textOf(code) : undefined
}

function hasClass(node: Element | undefined, name: string): boolean {
  const names = node?.properties['className']
  return Array.isArray(names) && names.includes(name)
}

function textOf(node: Element | undefined): string {
  return node?.children.map((child) => ('value' in child ? child.value : '')).join('') ?? ''
}

/** A longer formula is shown as source text. */
const maxFormulaChars = 2000

const options = {
  // A formula with errors throws, and is then shown as source text.
  throwOnError: true,
  strict: 'ignore',
  // Refuses TeX commands that add links or HTML attributes.
  trust: false,
  // Limits macro expansion, which could be endless, and sizes (in em).
  maxExpand: 200,
  maxSize: 10,
} as const

interface FormulaProps {
  readonly tex: string
  /** Whether the formula is on lines of its own. */
  readonly display: boolean
}

/** A formula, built as DOM nodes, since the Content Security Policy forbids HTML strings and style attributes. */
const Formula = memo(function Formula({ tex, display }: FormulaProps) {
  const box = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    try {
      if (tex.length > maxFormulaChars) throw new RangeError('The formula is too long.')
      katex.render(tex, element, { ...options, displayMode: display, macros: {} })
    } catch {
      element.replaceChildren(document.createTextNode(tex))
    }
  }, [tex, display])
  // No formula can paint over the content around it.
  if (!display) return <span ref={box} dir="ltr" className="markdown-inline-formula relative" />
  return (
    <span
      ref={box}
      dir="ltr"
      // A wide formula scrolls on its own, also with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="markdown-formula relative block overflow-x-auto overflow-y-hidden py-1 text-center whitespace-pre-wrap"
    />
  )
})
