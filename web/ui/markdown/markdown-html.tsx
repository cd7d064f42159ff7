import type { Element, Parents } from 'hast'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import { divideIntoSteps, joinFootnotes, listDefinitions, readDirection } from './markdown-body.tsx'
import { markdownPlugins } from './markdown-plugins.ts'
import { normalizeMaths } from './normalize-maths.ts'
import { createBlockSplitter, type Definition, type MarkdownBlock } from './split-blocks.ts'

/**
 * Writes markdown as HTML for other programs: its structure, without classes and images. Links have absolute addresses
 * with a harmless scheme, and formulas are code. A long text is written in steps, between which the page answers the user.
 */
export async function writeHtml(text: string): Promise<string> {
  const { blocks, definitions } = joinFootnotes(text, createBlockSplitter()(text))
  const box = document.createElement('div')
  const root = createRoot(box)
  let html = ''
  for (const step of divideIntoSteps(blocks)) {
    if (html !== '') await new Promise((resolve) => setTimeout(resolve))
    const drawn = await Promise.all(step.map(async (block) => drawBlock(block, definitions)))
    flushSync(() => root.render(drawn))
    html += box.innerHTML
  }
  root.unmount()
  return `<div dir="${readDirection(text)}">${html}</div>`
}

async function drawBlock(block: MarkdownBlock, definitions: readonly Definition[]): Promise<ReactNode> {
  const { key, kind } = block
  if (kind === 'plain') return <p key={key}>{block.source}</p>
  if (kind === 'code')
    return (
      <pre key={key}>
        <code>{block.code}</code>
      </pre>
    )
  const source = block.source + listDefinitions(block.source, definitions)
  const maths = normalizeMaths(source)
  const plugins = maths === undefined ? markdownPlugins : (await import('./math-text.tsx')).mathPlugins
  return (
    <ReactMarkdown
      key={key}
      remarkPlugins={plugins}
      rehypePlugins={[() => simplify]}
      urlTransform={defaultUrlTransform}
    >
      {maths ?? source}
    </ReactMarkdown>
  )
}

/** The properties of elements that are kept: the number that a list starts with, and the alignment of cells. */
const keptProperties = ['dir', 'start', 'align']

/** Removes from a tree what has a meaning only on the page. */
function simplify(parent: Parents): void {
  const children = parent.children.flatMap((child) => {
    if (child.type !== 'element') return child
    simplify(child)
    return simplifyElement(child)
  })
  parent.children = children as Element['children']
}

function simplifyElement(element: Element): Element | Element['children'] {
  const { tagName, properties, children } = element
  switch (tagName) {
    case 'a':
      return properties['dataFootnoteBackref'] === undefined ? linkTo(properties['href'], children) : []
    case 'img':
      // Another program would load it, and its address could carry parts of the chat away.
      return linkTo(properties['src'], [
        { type: 'text', value: String(properties['alt'] || properties['src']) },
      ])
    case 'input':
      return [{ type: 'text', value: properties['checked'] === true ? '☑' : '☐' }]
    default: {
      const kept = Object.entries(properties).filter(([name]) => keptProperties.includes(name))
      return { ...element, properties: Object.fromEntries(kept) }
    }
  }
}

/** A link, or only what it contains if the address is refused, or belongs to the page. */
function linkTo(address: unknown, children: Element['children']): Element | Element['children'] {
  const href = defaultUrlTransform(String(address))
  if (!URL.canParse(href)) return children
  return { type: 'element', tagName: 'a', properties: { href }, children }
}
