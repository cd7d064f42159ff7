import type { Element } from 'hast'
import katex from 'katex'
import 'katex/dist/katex.min.css'
import { memo, useLayoutEffect, useRef } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import type { Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import { CodeFence } from './code-block.tsx'
import { markdownComponents } from './markdown-components.tsx'

type Plugins = NonNullable<Parameters<typeof ReactMarkdown>[0]['remarkPlugins']>
const plugins: Plugins = [remarkGfm, [remarkMath, { singleDollarTextMath: false }]]

const components: Components = {
  ...markdownComponents,
  pre: ({ node, children }) => {
    const tex = readDisplay(node)
    return tex === undefined ? <CodeFence node={node}>{children}</CodeFence> : <Formula tex={tex} display />
  },
  code: ({ node, className, children }) =>
    hasClass(node, 'math-inline') ? (
      <Formula tex={readText(node)} display={false} />
    ) : (
      <code className={className}>{children}</code>
    ),
}

/** A block of markdown with formulas, which `normalizeMaths` has put between double dollars. */
export function MathText({ source }: { readonly source: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={defaultUrlTransform}>
      {source}
    </ReactMarkdown>
  )
}

function readDisplay(pre: Element | undefined): string | undefined {
  const code = pre?.children.find((child): child is Element => 'tagName' in child)
  return hasClass(code, 'math-display') ? readText(code) : undefined
}

function hasClass(node: Element | undefined, name: string): boolean {
  const names = node?.properties['className']
  return Array.isArray(names) && names.includes(name)
}

function readText(node: Element | undefined): string {
  return node?.children.map((child) => ('value' in child ? child.value : '')).join('') ?? ''
}

/** Characters beyond which a formula stands as it was written. */
const lengthLimit = 2000

const options = {
  // What a formula cannot say throws, and is shown as it was written; errors never become styles of their own.
  throwOnError: true,
  strict: 'ignore',
  // No addresses, no attributes.
  trust: false,
  // Macros that grow, and sizes in em.
  maxExpand: 200,
  maxSize: 10,
} as const

interface FormulaProps {
  readonly tex: string
  /** Stands on lines of its own. */
  readonly display: boolean
}

/** A formula, made node by node: neither HTML text nor style attributes are made, which the page's policy would refuse. */
const Formula = memo(function Formula({ tex, display }: FormulaProps) {
  const box = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    try {
      if (tex.length > lengthLimit) throw new RangeError('The formula is too long.')
      katex.render(tex, element, { ...options, displayMode: display, macros: {} })
    } catch {
      element.replaceChildren(document.createTextNode(tex))
    }
  }, [tex, display])
  if (!display) return <span ref={box} dir="ltr" className="markdown-inline-formula" />
  // A wide formula scrolls by itself, with the keyboard too.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <span ref={box} dir="ltr" className="markdown-formula" tabIndex={0} />
})
