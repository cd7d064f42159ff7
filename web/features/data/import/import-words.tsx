import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format-usage.ts'

/** For example '1 chat' or '1,297 chats'. */
export const countChats = (count: number): string => `${formatCount(count)} ${count === 1 ? 'chat' : 'chats'}`

/** The name of what is imported. */
export function nameOfFiles(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : `${formatCount(names.length)} files`
}

export interface NoteProps {
  readonly icon: ReactNode
  readonly children: ReactNode
}

/** A sentence about how it went, with a sign of its kind. */
export function Note({ icon, children }: NoteProps) {
  return (
    <div className="flex items-start gap-2.5 text-sm">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <p className="min-w-0 wrap-anywhere">{children}</p>
    </div>
  )
}
