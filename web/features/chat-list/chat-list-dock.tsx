import { lazy, Suspense, useCallback, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { SidePanel } from '../../ui/dialog/side-panel.tsx'
import { clampWidth, listWidth, type ListLayout } from './list-layout.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import type { Mark } from './show-only-menu.tsx'

const ChatListPanel = lazy(async () => ({ default: (await import('./chat-list-panel.tsx')).ChatListPanel }))

/** The list of chats: left of the page in a wide window, else in a drawer. */
export function ChatListDock({ layout }: { readonly layout: ListLayout }) {
  const { isDocked, isOpen, hasRoom, width, setOpen } = layout
  const [dragged, setDragged] = useState<number>()
  const [only, setOnly] = useState<Mark>()
  const close = useCallback(() => setOpen(false, 'pointer'), [setOpen])
  if (!isDocked)
    return (
      isOpen && (
        <SidePanel title="Chats" size="wide" focusesFields={layout.isByKey} onClose={close}>
          <nav aria-label="Chats" className="flex min-h-0 flex-1 flex-col">
            <Suspense fallback={<ListSkeleton />}>
              <ChatListPanel only={only} onOnly={setOnly} onOpen={close} />
            </Suspense>
          </nav>
        </SidePanel>
      )
    )
  if (!isOpen && !hasRoom) return null
  const isSliding = isOpen !== hasRoom
  return (
    <nav
      aria-label="Chats"
      style={{ width: hasRoom ? width : 0 }}
      className="sticky top-header-end z-40 h-below-header shrink-0 print:hidden"
    >
      <div
        // While it slides and while it is dragged, it covers the page, whose text is laid out once at the end.
        style={{ width: dragged ?? width }}
        onAnimationEnd={(event) => event.target === event.currentTarget && layout.settle()}
        className={classNames(
          'absolute inset-y-0 left-0 flex flex-col border-r border-line bg-page',
          isSliding && (isOpen ? 'animate-slide' : 'animate-slide-out'),
        )}
      >
        <Suspense fallback={<ListSkeleton />}>
          <ChatListPanel only={only} onOnly={setOnly} />
        </Suspense>
        <Edge width={dragged ?? width} onDrag={setDragged} onWidth={layout.setWidth} />
      </div>
    </nav>
  )
}

interface EdgeProps {
  readonly width: number
  /** Called with the width while the edge is dragged, and without one at the end. */
  readonly onDrag: (width: number | undefined) => void
  readonly onWidth: (width: number) => void
}

/** How far an arrow key moves the edge, in pixels. */
const stepPx = 16

/** The edge of the list, which is dragged, or moved by keys. A double click returns to the usual width. */
function Edge({ width, onDrag, onWidth }: EdgeProps) {
  /** The distance from the pointer to the width, while the edge is dragged. */
  const grip = useRef<number>(undefined)
  const move = (event: PointerEvent) => clampWidth(event.clientX + (grip.current ?? 0))
  const release = (event: PointerEvent) => {
    if (grip.current === undefined) return
    const next = move(event)
    grip.current = undefined
    onDrag(undefined)
    onWidth(next)
  }
  const handleKey = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: width - stepPx,
      ArrowRight: width + stepPx,
      Home: listWidth.least,
      End: listWidth.most,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    onWidth(next)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that can be moved is a control
    <hr
      aria-label="Width of the list of chats"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={listWidth.least}
      aria-valuemax={listWidth.most}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={handleKey}
      onDoubleClick={() => onWidth(listWidth.usual)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        grip.current = width - event.clientX
      }}
      onPointerMove={(event) => grip.current !== undefined && onDrag(move(event))}
      onPointerUp={release}
      onPointerCancel={release}
      className="absolute inset-y-0 -right-[5px] h-full w-2 cursor-col-resize touch-none border-0 transition-colors hover:bg-pressed active:bg-pressed"
    />
  )
}
