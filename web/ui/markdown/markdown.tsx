import { lazy, Suspense } from 'react'
import { LongText } from '../long-text.tsx'

const loadMarkdown = () => import('./markdown-body.tsx')
const MarkdownBody = lazy(async () => ({ default: (await loadMarkdown()).MarkdownBody }))

export interface MarkdownProps {
  readonly text: string
  /** Whether the text still grows, so that its last block is unfinished. */
  readonly growing?: boolean
}

/**
 * Renders markdown as React elements, without raw HTML. Until the renderer has loaded, it shows the plain text.
 */
export function Markdown({ text, growing = false }: MarkdownProps) {
  return (
    <Suspense
      fallback={
        <div className="whitespace-pre-wrap">
          <LongText text={text} />
        </div>
      }
    >
      <MarkdownBody text={text} growing={growing} />
    </Suspense>
  )
}

/** Loads the renderer before the first text needs it. Resolves also when that has failed. */
export async function preloadMarkdown(): Promise<void> {
  await loadMarkdown().catch(() => undefined)
}

/** Writes markdown as HTML for other programs, for example a mail or a document into which it is pasted. */
export async function writeMarkdownHtml(text: string): Promise<string> {
  return (await import('./markdown-html.tsx')).writeHtml(text)
}
