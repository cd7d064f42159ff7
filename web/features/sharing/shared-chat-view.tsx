import type { SharedChat } from '@yonder/contract/share'
import { Unlink } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { openSharedFiles, SharedFilesContext } from '../../data/files.ts'
import { useSharedChat } from '../../data/shares.ts'
import { LoadingState } from '../../ui/states/states.tsx'

export interface SharedChatViewProps {
  readonly shareId: string
  /** Renders the messages of the chat. */
  readonly children: (chat: SharedChat) => ReactNode
}

/** A shared chat, read-only. */
export function SharedChatView({ shareId, children }: SharedChatViewProps) {
  const { data: chat, error } = useSharedChat(shareId)
  const [files] = useState(() => openSharedFiles(shareId))
  if (error !== undefined) return <NotFound />
  if (chat === undefined)
    return (
      <main className="flex flex-1 items-center justify-center">
        <LoadingState>Loading...</LoadingState>
      </main>
    )
  return (
    <>
      <main className="flex-1">
        <h1 className="sr-only">Shared chat</h1>
        <SharedFilesContext value={files}>{children(chat)}</SharedFilesContext>
      </main>
      <ReadOnlyFooter />
    </>
  )
}

/** Shown after any failure to load the chat. */
function NotFound() {
  return (
    <main className="flex flex-1 items-center justify-center">
      <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
        <Unlink size={22} aria-hidden className="mb-1 text-muted" />
        <h1 className="text-lg font-semibold">Chat Not Found</h1>
        <p className="max-w-sm text-muted">This shared chat may have been removed or the link is invalid.</p>
        <Link
          to="/"
          className="touch-target mt-3 inline-flex items-center text-sm text-accent underline underline-offset-4"
        >
          Go to the home page
        </Link>
      </div>
    </main>
  )
}

/** Shown under a shared chat. */
function ReadOnlyFooter() {
  return (
    <footer className="sticky bottom-0 z-10 border-t border-line bg-page">
      <div className="mx-auto flex w-full max-w-column flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3 text-xs text-muted sm:px-6 sm:text-sm">
        <p>This is a shared chat view. The content is read-only.</p>
        <Link
          to="/"
          className="touch-target inline-flex items-center text-accent underline-offset-4 hover:underline"
        >
          Go to the home page
        </Link>
      </div>
    </footer>
  )
}
