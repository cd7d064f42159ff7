import type { ReactNode } from 'react'
import type { Components } from 'react-markdown'
import { CodeFence } from './code-block.tsx'
import { MarkdownImage } from './images.tsx'

/** The elements that need more than a plain tag. */
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
    // A wide table scrolls on its own, also with the keyboard.
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
 * A link in an untrusted text. Another site opens in a new tab and learns nothing about this page. A link whose address was
 * refused has an empty `href` (§5.18) and does nothing.
 */
function MarkdownLink({ href, title, children }: MarkdownLinkProps) {
  if (href === '')
    return (
      // oxlint-disable-next-line jsx-a11y/anchor-is-valid -- §5.18 keeps the link, with an empty address
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
