import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useListRow } from '../../data/chat-list.ts'
import type { MenuPlace } from '../../ui/menu/popup-menu.tsx'

const TitleMenu = lazy(async () => ({ default: (await import('./title-menu.tsx')).TitleMenu }))

export interface HeaderTitleProps {
  readonly chatId: string
  /** Undefined until it is known. */
  readonly title: string | undefined
}

/** The title of the open chat in the header of a wide window. It opens the menu of the chat, and is edited in its place. */
export function HeaderTitle({ chatId, title }: HeaderTitleProps) {
  const chat = useListRow(chatId)
  const button = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState<MenuPlace>()
  const [isRenaming, setRenaming] = useState(false)
  /** The menu stays mounted after its first use, because its dialogs belong to it. */
  const [isUsed, setUsed] = useState(false)
  const label = (
    <span dir="auto" className="truncate">
      {title}
    </span>
  )
  return (
    <div className="absolute inset-x-0 mx-auto hidden w-fit max-w-2/5 min-w-0 text-sm font-medium lg:block">
      {chat === undefined || chat.deleted_time !== undefined ? (
        <p title={title} className="flex px-2">
          {label}
        </p>
      ) : (
        !isRenaming && (
          <button
            ref={button}
            type="button"
            title={title}
            aria-haspopup="menu"
            aria-expanded={at !== undefined}
            onClick={({ currentTarget }) => {
              setUsed(true)
              setAt(at === undefined ? currentTarget.getBoundingClientRect() : undefined)
            }}
            className="flex h-8 max-w-full items-center gap-1 rounded-control px-2 transition-colors hover:bg-hover"
          >
            {label}
            <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
          </button>
        )
      )}
      {isUsed && chat !== undefined && (
        <Suspense>
          <TitleMenu
            chat={chat}
            at={at}
            isRenaming={isRenaming}
            onClose={(byUser) => {
              setAt(undefined)
              if (byUser) button.current?.focus()
            }}
            onRename={() => setRenaming(true)}
            onRenamed={(byKey) => {
              flushSync(() => setRenaming(false))
              if (byKey) button.current?.focus()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
