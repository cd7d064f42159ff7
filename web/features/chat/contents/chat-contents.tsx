import type { Message } from '@yonder/contract/message'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { SidePanel } from '../../../ui/dialog/side-panel.tsx'
import { ContentsButton } from './contents-button.tsx'
import { ContentsList } from './contents-list.tsx'

/** The height of a row in the list beside the messages, and in the panel on small screens. */
const denseRowPx = 32
const touchRowPx = 44

export interface ChatContentsProps {
  readonly path: readonly Message[]
  readonly onSelect: (messageId: string) => void
}

/** The table of contents: beside the messages on a wide window, else in a panel that a button in the header opens (§2.27, §2.15). */
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
        <ContentsList rounds={rounds} rowHeight={denseRowPx} onSelect={onSelect} />
      </div>
      <ContentsButton isOpen={isOpen} onOpen={() => setOpen(true)} />
      {isOpen && (
        <SidePanel title="Contents" onClose={() => setOpen(false)}>
          <ContentsList
            rounds={rounds}
            rowHeight={touchRowPx}
            onSelect={(id) => {
              // The panel returns the focus when it closes; only after that can the round get it.
              flushSync(() => setOpen(false))
              onSelect(id)
            }}
          />
        </SidePanel>
      )}
    </>
  )
}
