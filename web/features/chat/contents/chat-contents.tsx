import type { Message } from '@yonder/contract/message'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { SidePanel } from '../../../ui/dialog/side-panel.tsx'
import { ContentsButton } from './contents-button.tsx'
import { ContentsList } from './contents-list.tsx'

/** Pixels of a row beside the messages, and of one for a finger. */
const denseRow = 32
const fingerRow = 44

export interface ChatContentsProps {
  readonly path: readonly Message[]
  readonly onSelect: (messageId: string) => void
}

/** The rounds of a chat: beside it where there is room, else in a panel that a button in the header opens (§2.27, §2.15). */
export function ChatContents({ path, onSelect }: ChatContentsProps) {
  const [isOpen, setOpen] = useState(false)
  const rounds = useMemo(() => path.filter(({ role }) => role === 'user'), [path])
  if (rounds.length === 0) return null
  return (
    <>
      <div className="sticky top-header hidden h-below-header flex-col pt-4 lg:flex">
        <h2 aria-hidden className="px-4.5 pb-2 text-xs font-medium text-muted">
          Contents
        </h2>
        <ContentsList rounds={rounds} rowHeight={denseRow} onSelect={onSelect} />
      </div>
      <ContentsButton isOpen={isOpen} onOpen={() => setOpen(true)} />
      {isOpen && (
        <SidePanel title="Contents" onClose={() => setOpen(false)}>
          <ContentsList
            rounds={rounds}
            rowHeight={fingerRow}
            onSelect={(id) => {
              // The panel gives the focus back; only then can the round take it.
              flushSync(() => setOpen(false))
              onSelect(id)
            }}
          />
        </SidePanel>
      )}
    </>
  )
}
