import type { ChatsChange } from '@yonder/contract/chat-list'
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import type { ListRow, Selection } from '../../data/chat-list.ts'
import { placeOfPointer, type MenuPlace } from '../../ui/menu/popup-menu.tsx'
import { matchesShortcut } from '../../ui/shortcut/shortcut.ts'
import { useChatActions } from './chat-actions.tsx'
import { ChatMenu } from './chat-menu.tsx'
import type { Row } from './list-rows.ts'
import { SelectionBar } from './selection-bar.tsx'

/** What a row reports. The functions stay the same. */
export interface RowEvents {
  /** A click, which may change the selection instead of opening the chat. */
  readonly click: (event: MouseEvent, chat: ListRow) => void
  readonly openMenu: (chat: ListRow, at: MenuPlace) => void
  /** A long press, a right click, or the key for a menu. */
  readonly askForMenu: (event: MouseEvent, chat: ListRow) => void
  /** The title that the user has written; undefined when it stays. */
  readonly endRename: (chat: ListRow, title: string | undefined, byKey: boolean) => void
}

/** How a row is shown. */
export type RowMode = 'plain' | 'renaming' | 'selected' | 'selectable'

export interface RowEditing {
  readonly events: RowEvents
  readonly modeOf: (chat: ListRow) => RowMode
  /** Returns whether a key in a row was meant for what is done here. */
  readonly handleKey: (event: KeyboardEvent) => boolean
  /** What is dragged with a chat, and its number if it is known: the selected ones, if it is one of them. */
  readonly draggedWith: (chat: ListRow) => {
    readonly chats: ChatsChange['chats']
    readonly count: number | undefined
  }
  readonly move: (chats: ChatsChange['chats'], project: string | null) => void
  /** The menu, the bar and the dialogs. */
  readonly layers: ReactNode
}

export interface RowEditingOptions {
  readonly rows: readonly Row[]
  /** What is selected by "Select all". */
  readonly all: Selection
  /** The index of the row of the focus. */
  readonly focused: number
  /** Moves the focus to a row. */
  readonly moveTo: (index: number) => void
}

/** The chats that are selected: some, or all of the list, also those that are not loaded. */
type Selected = ReadonlySet<string> | 'all'

const none: Selected = new Set<string>()

/** Renames, selects and changes the chats of a list. */
export function useRowEditing({ rows, all, focused, moveTo }: RowEditingOptions): RowEditing {
  const { actions, dialogs } = useChatActions()
  const [menu, setMenu] = useState<{ readonly chat: ListRow; readonly at: MenuPlace }>()
  const [renaming, setRenaming] = useState<string>()
  const [selected, setSelected] = useState(none)
  /** Where the last range began. */
  const [anchor, setAnchor] = useState<string>()
  const isSelecting = selected === 'all' || selected.size > 0

  const chatAt = (index: number): ListRow | undefined => {
    const row = rows[index]
    return row?.kind === 'chat' ? row.chat : undefined
  }
  const indexOf = (id: string | undefined) =>
    rows.findIndex((row) => row.kind === 'chat' && row.chat.id === id)
  const known = () =>
    new Set(selected === 'all' ? rows.flatMap((row) => (row.kind === 'chat' ? row.chat.id : [])) : selected)
  const toggle = ({ id }: ListRow) => {
    const next = known()
    if (!next.delete(id)) next.add(id)
    setSelected(next)
    setAnchor(id)
    // The first selected chat makes other elements of all rows, so the one with the focus is gone.
    moveTo(indexOf(id))
  }
  const selectTo = ({ id }: ListRow, from = anchor) => {
    const [start, end] = [indexOf(from ?? id), indexOf(id)].toSorted((one, other) => one - other)
    const next = known()
    for (const row of rows.slice(Math.max(0, start ?? 0), (end ?? -1) + 1))
      if (row.kind === 'chat') next.add(row.chat.id)
    setSelected(next)
    setAnchor(from ?? id)
    moveTo(indexOf(id))
  }
  const endSelection = () => {
    setSelected(none)
    setAnchor(undefined)
    moveTo(focused)
  }
  const events = useStable<RowEvents>({
    click(event, chat) {
      if (event.shiftKey) {
        event.preventDefault()
        // The browser would select text.
        getSelection()?.removeAllRanges()
        selectTo(chat, anchor ?? chatAt(focused)?.id)
      } else if (isSelecting || event.ctrlKey || event.metaKey) {
        event.preventDefault()
        toggle(chat)
      }
    },
    openMenu: (chat, at) => setMenu({ chat, at }),
    askForMenu(event, chat) {
      event.preventDefault()
      const pointer = (event.nativeEvent as globalThis.PointerEvent).pointerType
      if (pointer === 'touch') toggle(chat)
      else
        setMenu({
          chat,
          at: pointer === 'mouse' ? placeOfPointer(event) : event.currentTarget.getBoundingClientRect(),
        })
    },
    endRename(chat, title, byKey) {
      setRenaming(undefined)
      if (byKey) moveTo(indexOf(chat.id))
      if (title !== undefined) actions.change([chat.id], { title })
    },
  })
  const handleKey = (event: KeyboardEvent): boolean => {
    const chat = chatAt(focused)
    if (event.key === 'Escape' && isSelecting) {
      endSelection()
      // Escape must not close the drawer or stop a reply as well.
      event.stopPropagation()
      return true
    }
    if (chat === undefined || event.nativeEvent.isComposing) return false
    if (matchesShortcut(event, 'mod+a')) {
      setSelected('all')
      moveTo(focused)
      return true
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.shiftKey) {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      if (step === 0) return false
      let index = focused + step
      while (index >= 0 && index < rows.length && chatAt(index) === undefined) index += step
      const next = chatAt(index)
      if (next === undefined) return true
      selectTo(next, anchor ?? chat.id)
      return true
    }
    switch (event.key) {
      case ' ':
        toggle(chat)
        return true
      case 'F2':
        setRenaming(chat.id)
        return true
      case 'Delete':
        if (!actions.canDelete) return true
        actions.change(isSelecting ? selection() : [chat.id], { deleted: true })
        endSelection()
        return true
      default:
        return false
    }
  }
  const selection = (): ChatsChange['chats'] =>
    selected === 'all' ? { ...all, filter: all.filter ?? '' } : [...selected]
  return {
    events,
    modeOf({ id }) {
      if (id === renaming) return 'renaming'
      if (!isSelecting) return 'plain'
      return selected === 'all' || selected.has(id) ? 'selected' : 'selectable'
    },
    handleKey,
    draggedWith({ id }) {
      if (selected === 'all') return { chats: selection(), count: undefined }
      return selected.has(id) ? { chats: selection(), count: selected.size } : { chats: [id], count: 1 }
    },
    move(chats, project_id) {
      actions.change(chats, { project_id })
      if (isSelecting) endSelection()
    },
    layers: (
      <>
        {isSelecting && (
          <SelectionBar
            selected={selection()}
            count={selected === 'all' ? undefined : selected.size}
            onAll={selected === 'all' ? undefined : () => setSelected('all')}
            actions={actions}
            onEnd={endSelection}
          />
        )}
        {menu !== undefined && (
          <ChatMenu
            chat={menu.chat}
            at={menu.at}
            actions={actions}
            onClose={(byUser) => {
              setMenu(undefined)
              const index = indexOf(menu.chat.id)
              if (byUser && index !== -1) moveTo(index)
            }}
            onRename={() => setRenaming(menu.chat.id)}
            onSelect={() => toggle(menu.chat)}
          />
        )}
        {dialogs}
      </>
    ),
  }
}

/** Returns functions that stay the same and call those of the last rendering, so that no row is rendered for them. */
function useStable<
  Functions extends { readonly [Name in keyof Functions]: (...parameters: never[]) => void },
>(functions: Functions): Functions {
  const latest = useRef(functions)
  useLayoutEffect(() => {
    latest.current = functions
  })
  const [stable] = useState(() => {
    const made = {} as { [Name in keyof Functions]: Functions[Name] }
    for (const name in functions)
      made[name] = ((...parameters: never[]) => latest.current[name](...parameters)) as Functions[typeof name]
    return made
  })
  return stable
}
