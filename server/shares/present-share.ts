import { deriveTitle, maxShareTitleChars } from '@yonder/contract/message-text'
import type { OwnShare } from '@yonder/contract/share'
import type { ListedShare } from './share-store.ts'

/** A share link as its owner lists it, named by the start of the chat's first message. */
export function presentShare({ id, created_at, first_text }: ListedShare): OwnShare {
  const { text, isCut } = deriveTitle(first_text, maxShareTitleChars)
  return {
    id,
    title: isCut ? `${text.trimEnd()}…` : text,
    created_at: new Date(created_at).toISOString(),
  }
}
