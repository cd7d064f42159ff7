import type { ReactNode } from 'react'

export interface MarkdownLinkProps {
  readonly href: string
  readonly title?: string | undefined
  readonly children?: ReactNode
}

/**
 * A link of a text that nobody vouches for: another site opens in a tab of its own and learns nothing of this page. An
 * address that was refused is empty (§5.18) and leads nowhere.
 */
export function MarkdownLink({ href, title, children }: MarkdownLinkProps) {
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
