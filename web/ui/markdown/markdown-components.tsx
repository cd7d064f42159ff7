import type { ReactNode } from 'react'
import type { Components } from 'react-markdown'
import { Tooltip } from '../tooltip/tooltip.tsx'
import { CodeFence } from './code-block.tsx'
import { MarkdownImage } from './images.tsx'

/** The elements that need more than a plain tag. */
export const markdownComponents: Components = {
  // The titles of links and images are ignored: a model could give a link the address of another site as its title.
  a: ({ href, children }) => <MarkdownLink href={href ?? ''}>{children}</MarkdownLink>,
  img: ({ src, alt }) => <MarkdownImage src={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  pre: ({ node, children }) => <CodeFence node={node}>{children}</CodeFence>,
  table: ({ children }) => (
    // A wide table scrolls on its own, also with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div dir="auto" className="markdown-table overflow-x-auto" tabIndex={0}>
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
  readonly children?: ReactNode
}

/**
 * A link in an untrusted text. Another site opens in a new tab and learns nothing about this page. A link whose address
 * was refused has an empty `href` and does nothing. Hover and focus show the address of any other link, unless
 * it leads to a footnote.
 */
function MarkdownLink({ href, children }: MarkdownLinkProps) {
  if (href === '')
    return (
      // oxlint-disable-next-line jsx-a11y/anchor-is-valid -- the specification keeps the link, with an empty address
      <a href="" aria-disabled onClick={(event) => event.preventDefault()}>
        {children}
      </a>
    )
  // A link to a footnote of the same text.
  if (href.startsWith('#')) return <a href={href}>{children}</a>
  const address = URL.parse(href, location.href)
  const isElsewhere = address?.origin !== location.origin
  return (
    <Tooltip inline text={address === null ? href : <Address address={address} />}>
      <a href={href} {...(isElsewhere && { target: '_blank', rel: 'noopener noreferrer' })}>
        {children}
      </a>
    </Tooltip>
  )
}

/** A longer address is cut. */
const maxAddressChars = 300

/** An address with its host in bold, because a user name before the host can look like another host. */
function Address({ address: { href, host, protocol } }: { readonly address: URL }) {
  const siteStart = protocol.length + 2
  const siteEnd = href.indexOf('/', siteStart)
  const userEnd = href.lastIndexOf('@', siteEnd < 0 ? href.length : siteEnd)
  const start = host === '' ? -1 : href.indexOf(host, Math.max(siteStart, userEnd + 1))
  const shown = href.length > maxAddressChars ? `${href.slice(0, maxAddressChars)}…` : href
  if (start < 0 || start + host.length > maxAddressChars) return host === '' ? shown : `${host} ${shown}`
  return (
    <span dir="ltr">
      {shown.slice(0, start)}
      <strong>{host}</strong>
      {shown.slice(start + host.length)}
    </span>
  )
}
