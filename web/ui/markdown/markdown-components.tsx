import type { Components } from 'react-markdown'
import { CodeFence } from './code-fence.tsx'
import { MarkdownImage } from './markdown-image.tsx'
import { MarkdownLink } from './markdown-link.tsx'

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
