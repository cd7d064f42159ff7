import type { ChatsChange } from '@yonder/contract/chat-list'
import { useState, type DragEvent } from 'react'
import type { ListRow } from '../../data/chat-list.ts'
import type { Row } from './list-rows.ts'

type Chats = ChatsChange['chats']

/** A project, or null for none. */
type Target = string | null

/** What is dragged is read only when it is dropped. Until then its types say what it is, in lower case. */
const chatsType = 'application/x-yonder-chats'
const fromType = (project: Target) => `application/x-yonder-from-${project ?? 'no-project'}`.toLowerCase()

export interface RowDragOptions {
  readonly rows: readonly Row[]
  /** What is dragged with a chat: the selected ones, if it is one of them. */
  readonly draggedWith: (chat: ListRow) => { readonly chats: Chats; readonly count: number | undefined }
  readonly onMove: (chats: Chats, project: Target) => void
}

/**
 * Moves chats by dragging their rows to a project, or out of it, also between the lists of a page and of two windows. A
 * row stays a link that can be dragged elsewhere.
 */
export function useRowDrag({ rows, draggedWith, onMove }: RowDragOptions) {
  const [target, setTarget] = useState<Target>()
  const findTarget = ({ target: element, dataTransfer }: DragEvent): Target | undefined => {
    if (!dataTransfer.types.includes(chatsType)) return undefined
    const found = targetOf(rows[rowIndexOf(element)])
    return found === undefined || dataTransfer.types.includes(fromType(found)) ? undefined : found
  }
  return {
    /** Whether chats are dragged over where this row belongs. */
    isTarget: (row: Row): boolean => target !== undefined && targetOf(row) === target,
    events: {
      onDragStart({ target: element, dataTransfer }: DragEvent) {
        const row = rows[rowIndexOf(element)]
        if (row?.kind !== 'chat') return
        const { chats, count } = draggedWith(row.chat)
        dataTransfer.setData(chatsType, JSON.stringify(chats))
        if (count === 1) dataTransfer.setData(fromType(row.chat.project_id ?? null), '')
        dataTransfer.effectAllowed = 'all'
        showDragged(
          dataTransfer,
          count === 1 ? row.chat.title : `${count?.toLocaleString('en') ?? 'All'} chats`,
        )
      },
      onDragOver(event: DragEvent) {
        const found = findTarget(event)
        setTarget(found)
        if (found === undefined) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setTarget(undefined)
      },
      onDrop(event: DragEvent) {
        const found = findTarget(event)
        setTarget(undefined)
        if (found === undefined) return
        event.preventDefault()
        onMove(JSON.parse(event.dataTransfer.getData(chatsType)) as Chats, found)
      },
      // Escape ends a drag without leaving the list.
      onDragEnd: () => setTarget(undefined),
    },
  }
}

function rowIndexOf(element: EventTarget): number {
  const row = element instanceof Element ? element.closest<HTMLElement>('[data-row]') : null
  return Number(row?.dataset['row'] ?? -1)
}

/** Where a chat goes that is dropped on a row; undefined where it cannot be dropped. */
function targetOf(row: Row | undefined): Target | undefined {
  switch (row?.kind) {
    case 'project':
      return row.project.id
    case 'chat':
      return row.isInProject ? row.chat.project_id : row.key.startsWith('recent ') ? null : undefined
    default:
      return undefined
  }
}

/** Shows a text at the pointer instead of the row, which may be one of several. */
function showDragged(dataTransfer: DataTransfer, text: string): void {
  const image = document.createElement('div')
  image.className =
    'fixed -top-full left-0 max-w-48 truncate rounded-control bg-surface px-3 py-1.5 text-sm text-ink'
  image.dir = 'auto'
  image.textContent = text
  document.body.append(image)
  dataTransfer.setDragImage(image, 0, 0)
  // The browser takes its picture of it after this event.
  setTimeout(() => image.remove())
}
