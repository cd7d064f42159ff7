import type { Nodes, Root, RootContent } from 'mdast'
import { createContext } from 'react'

/**
 * Whether a line break inside a paragraph is kept, as in a text that a user typed. Markdown itself makes it a space.
 */
export const KeepLineBreaks = createContext(false)

/** A remark plugin that keeps the line breaks inside paragraphs. */
export function keepLineBreaks() {
  return (tree: Root) => breakLines(tree)
}

function breakLines(node: Nodes): void {
  if (!('children' in node)) return
  for (const child of node.children) breakLines(child)
  const children: RootContent[] = node.children
  if (!children.some((child) => child.type === 'text' && child.value.includes('\n'))) return
  node.children = children.flatMap(splitAtBreaks) as typeof node.children
}

function splitAtBreaks(node: RootContent): readonly RootContent[] {
  if (node.type !== 'text') return [node]
  return node.value
    .split('\n')
    .flatMap((value, index): RootContent[] => [
      ...(index === 0 ? [] : [{ type: 'break' } as const]),
      ...(value === '' ? [] : [{ type: 'text', value } as const]),
    ])
}
