import type { ReactNode } from 'react'
import type { Components } from 'react-markdown'
import { CodeFence } from './code-block.tsx'
import { MarkdownImage } from './images.tsx'

/** How the elements are drawn that need more than their own tag. */
export const markdownComponents: Components = {
  a: ({ href, title, children }) => (
    <MarkdownLink href={href ?? ''} title={title}>
      {children}
    </MarkdownLink>
  ),
  img: ({ src, alt, title }) => (
    <MarkdownImage src={typeof src === 'string' ? src : ''} alt={alt ?? ''} title={title} />
  ),
  pre: ({ node, children }) => <CodeFence node={node}>{children}</CodeFence>,
  table: ({ children }) => (
    // A wide table scrolls by itself, with the keyboard too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="markdown-table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked === true}
      disabled
      aria-label={checked === true ? 'Done' : 'To do'}
    />
  ),
}

interface MarkdownLinkProps {
  readonly href: string
  readonly title?: string | undefined
  readonly children?: ReactNode
}

/**
 * A link of a text that nobody vouches for: another site opens in a tab of its own and learns nothing of this page. An
 * address that was refused is empty (§5.18) and leads nowhere.
 */
function MarkdownLink({ href, title, children }: MarkdownLinkProps) {
  if (href === '')
    return (
      // oxlint-disable-next-line jsx-a11y/anchor-is-valid -- it stays a link whose address is empty, as the rule says
      <a href="" title={title} aria-disabled onClick={(event) => event.preventDefault()}>
        {children}
      </a>
    )
  if (!isElsewhere(href))
    return (
      <a href={href} title={title}>
        {children}
      </a>
    )
  return (
    <a href={href} title={title ?? href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

function isElsewhere(href: string): boolean {
  try {
    return new URL(href, location.href).origin !== location.origin
  } catch {
    return true
  }
}
