import { lazy, Suspense } from 'react'

const loadMarkdown = () => import('./markdown-body.tsx')
const MarkdownBody = lazy(async () => ({ default: (await loadMarkdown()).MarkdownBody }))

export interface MarkdownProps {
  readonly text: string
  /** True while the text grows: its last block is then unfinished. */
  readonly open?: boolean
}

/** Markdown as React elements, without raw HTML. Until its code has loaded, the text is shown as it is. */
export function Markdown({ text, open = false }: MarkdownProps) {
  return (
    <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
      <MarkdownBody text={text} open={open} />
    </Suspense>
  )
}

/** Loads the code before the first text needs it. */
export function preloadMarkdown(): void {
  void loadMarkdown().catch(() => undefined)
}
