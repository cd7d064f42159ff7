import type { Element, ElementContent } from 'hast'
import { use } from 'react'
import type { ReactNode } from 'react'
import { BlockOpen } from './block-open.ts'
import { CodeBlock } from './code-block.tsx'

/** A code block inside a list or a quote, where the parser finds it. */
export function CodeFence({
  node,
  children,
}: {
  readonly node: Element | undefined
  readonly children?: ReactNode
}) {
  const open = use(BlockOpen)
  const code = node?.children.find(
    (child): child is Element => 'tagName' in child && child.tagName === 'code',
  )
  if (code === undefined) return <pre>{children}</pre>
  return <CodeBlock language={readLanguage(code)} code={readText(code).replace(/\n$/, '')} closed={!open} />
}

function readLanguage(code: Element): string {
  const names = code.properties['className']
  const name = Array.isArray(names) ? names.find((entry) => entry.startsWith('language-')) : undefined
  return name === undefined ? '' : name.slice('language-'.length, 'language-'.length + 40)
}

function readText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(readText).join('') : ''
}
