import type { Element } from 'hast'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import type { Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import { CodeFence } from './code-fence.tsx'
import { Formula } from './formula.tsx'
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
