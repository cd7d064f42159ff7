import type { OwnShare } from '@yonder/contract/share'
import type { ListedShare } from './share-store.ts'

const longestTitle = 80

/** A link as its owner finds it again: by how the chat begins. */
export function presentShare({ id, created_at, first_text }: ListedShare): OwnShare {
  const text = first_text.replaceAll(/\s+/gu, ' ').trim()
  const cut = Array.from(text).slice(0, longestTitle).join('')
  return {
    id,
    title: cut === text ? text : `${cut.trimEnd()}…`,
    created_at: new Date(created_at).toISOString(),
  }
}
