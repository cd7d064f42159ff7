import { lazy, Suspense } from 'react'

const loadMarkdown = () => import('./markdown-body.tsx')
const MarkdownBody = lazy(async () => ({ default: (await loadMarkdown()).MarkdownBody }))

export interface MarkdownProps {
  readonly text: string
  /** True while more text comes: the last block is then unfinished. */
  readonly open?: boolean
}

/** Markdown as React elements, without raw HTML. Until its code is loaded the text stands as it is. */
export function Markdown({ text, open = false }: MarkdownProps) {
  return (
    <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
      <MarkdownBody text={text} open={open} />
    </Suspense>
  )
}

/** Fetches the code before the first text needs it. */
export function preloadMarkdown(): void {
  void loadMarkdown().catch(() => undefined)
}
