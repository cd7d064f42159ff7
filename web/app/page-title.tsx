import { use } from 'react'
import { MarkCountContext } from '../data/mark-count.ts'

/** The title of the tab. It begins with the number of chats that are unread or wait for approval. */
export function PageTitle({ children }: { readonly children?: string }) {
  const total = use(MarkCountContext)
  const title = children === undefined ? 'Yonder' : `${children} · Yonder`
  return <title>{total === 0 ? title : `(${total}) ${title}`}</title>
}
