import type { Message } from '@yonder/contract/message'
import { TableOfContents } from 'lucide-react'
import { createContext, use, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { useMediaQuery } from '../../../lib/use-media-query.ts'
import { useAreaIsAtLeast } from '../../../ui/area.ts'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { SidePanel } from '../../../ui/dialog/side-panel.tsx'
import { IntoHeader } from '../../../ui/header-slot.tsx'
import { ChatTools, type ChatToolsProps } from '../find/chat-tools.tsx'
import { ContentsList } from './contents-list.tsx'

/** The height of a row in the list beside the messages, and in the panel on small screens. */
const denseRowPx = 32
const touchRowPx = 44

/** The widths of the contents with the messages, and of the aside, in rem. */
const contentsRem = 61
const asideRem = 18

/** Whether the contents have their column. Else they are a panel that a button in the header opens. */
export const ContentsColumnContext = createContext(false)

/** Whether the area is wide enough for the contents beside the messages. */
export function useHasContentsColumn(hasAside: boolean): boolean {
  const fits = useAreaIsAtLeast(hasAside ? contentsRem + asideRem : contentsRem)
  return useMediaQuery('(min-width: 64rem)') && fits
}

export interface ChatContentsProps extends ChatToolsProps {
  readonly path: readonly Message[]
  readonly onSelect: (messageId: string) => void
}

/**
 * The table of contents: beside the messages where their column fits, else in a panel that a button in the header opens.
 */
export function ChatContents({ path, onSelect, onFind, onPrint }: ChatContentsProps) {
  const hasColumn = use(ContentsColumnContext)
  const [isOpen, setOpen] = useState(false)
  if (hasColumn && isOpen) setOpen(false)
  const userMessages = useMemo(() => path.filter(({ role }) => role === 'user'), [path])
  if (userMessages.length === 0) return null
  if (hasColumn)
    return (
      <div className="sticky top-header-end flex h-below-header flex-col pt-4">
        <div className="flex items-center justify-between pr-2 pb-1 pl-4.5">
          <h2 aria-hidden className="text-xs font-medium text-muted">
            Contents
          </h2>
          <ChatTools onFind={onFind} onPrint={onPrint} />
        </div>
        <ContentsList userMessages={userMessages} rowHeight={denseRowPx} onSelect={onSelect} />
      </div>
    )
  // The panel moves the focus when it closes, so it is closed before something else gets the focus.
  const closeBefore = (action: () => void) => () => {
    flushSync(() => setOpen(false))
    action()
  }
  return (
    <>
      <ContentsButton isOpen={isOpen} onOpen={() => setOpen(true)} />
      {isOpen && (
        <SidePanel title="Contents" onClose={() => setOpen(false)}>
          <div className="px-2.5 pb-1">
            <ChatTools onFind={closeBefore(onFind)} onPrint={closeBefore(onPrint)} />
          </div>
          <ContentsList
            userMessages={userMessages}
            rowHeight={touchRowPx}
            onSelect={(id) => closeBefore(() => onSelect(id))()}
          />
        </SidePanel>
      )}
    </>
  )
}

export interface ContentsButtonProps {
  readonly isOpen?: boolean
  /** Absent while the chat loads. The button is disabled then, so that the logo beside it does not move later. */
  readonly onOpen?: () => void
}

/** Opens the contents of a chat where they have no column. */
export function ContentsButton({ isOpen = false, onOpen }: ContentsButtonProps) {
  if (use(ContentsColumnContext)) return null
  return (
    <IntoHeader>
      <IconButton
        label="Contents"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={onOpen === undefined}
        onClick={onOpen}
      >
        <TableOfContents size={18} aria-hidden />
      </IconButton>
    </IntoHeader>
  )
}
