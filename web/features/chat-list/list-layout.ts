import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useChatList, type Selection } from '../../data/chat-list.ts'
import { browserStorage } from '../../lib/browser-storage.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'

/** The browser storage keys of the list. They belong to the user and are removed with the other personal entries. */
const storageKeys = {
  wide: 'chat_list_wide',
  narrow: 'chat_list_narrow',
  width: 'chat_list_width',
  used: 'chat_list_used',
  projects: 'chat_list_projects',
  allProjects: 'chat_list_all_projects',
} as const

/** The widths of the docked list in pixels. */
export const listWidth = { least: 224, usual: 256, most: 400 } as const

/** From this width of the window on, the list is docked; below, it is a drawer. */
const docked = '(min-width: 64rem)'
/** From this width on, the contents of a chat keep their column beside the list, so it is open unless it was closed. */
const wide = '(min-width: 77rem)'

const allChats: Selection = { section: 'all' }

export interface ListLayout {
  /** Whether the window is wide enough for the docked list. */
  readonly isDocked: boolean
  /** Whether the docked list or the drawer is open. */
  readonly isOpen: boolean
  /** Whether the page leaves room for the docked list. While the list slides, the page stays as it was. */
  readonly hasRoom: boolean
  /** Called when the list has slid in or out. */
  readonly settle: () => void
  /** Whether the keyboard has opened the drawer, whose focus then starts at the filter. */
  readonly isByKey: boolean
  readonly setOpen: (isOpen: boolean, by: 'key' | 'pointer') => void
  readonly width: number
  readonly setWidth: (width: number) => void
}

/** The place of the list of chats. What the user chooses is stored, for wide windows and for narrow ones. */
export function useListLayout(): ListLayout {
  const isDocked = useMediaQuery(docked)
  const isWide = useMediaQuery(wide)
  const [drawer, setDrawer] = useState<'key' | 'pointer'>()
  const hasChats = useHasChats(isWide)
  const key = isWide ? storageKeys.wide : storageKeys.narrow
  const chosen = useStored(key)
  const width = Number(useStored(storageKeys.width) ?? listWidth.usual)
  const isOpen = isDocked ? (chosen === null ? isWide && hasChats : chosen === 'open') : drawer !== undefined
  const [hasRoom, setRoom] = useState(isOpen && isDocked)
  const [wasDocked, setWasDocked] = useState(isDocked)
  if (isDocked !== wasDocked) {
    setWasDocked(isDocked)
    // Nothing slides when the window grows or shrinks.
    setRoom(isOpen && isDocked)
    setDrawer(undefined)
  }
  return {
    isDocked,
    isOpen,
    hasRoom,
    settle: () => setRoom(isOpen && isDocked),
    isByKey: drawer === 'key',
    setOpen: (next, by) => {
      if (isDocked) browserStorage.write(key, next ? 'open' : 'closed')
      else setDrawer(next ? by : undefined)
    },
    width: clampWidth(width),
    setWidth: (next) => browserStorage.write(storageKeys.width, String(clampWidth(next))),
  }
}

export function clampWidth(width: number): number {
  if (!Number.isFinite(width)) return listWidth.usual
  return Math.min(listWidth.most, Math.max(listWidth.least, Math.round(width)))
}

/** The ids of the projects whose chats are shown, and their setter. */
export function useOpenProjects(): readonly [readonly string[], (ids: readonly string[]) => void] {
  const stored = useStored(storageKeys.projects) ?? ''
  const ids = useMemo(() => stored.split(' '), [stored])
  return [ids, (next) => browserStorage.write(storageKeys.projects, next.join(' ').trim())]
}

/** Whether many projects are all listed, and the function that changes it. */
export function useAllProjects(): readonly [boolean, () => void] {
  const isAll = useStored(storageKeys.allProjects) !== null
  return [
    isAll,
    () =>
      isAll
        ? browserStorage.remove(storageKeys.allProjects)
        : browserStorage.write(storageKeys.allProjects, 'true'),
  ]
}

/**
 * Whether the user has chats. That is stored, so that the next visit makes room for the list before it is loaded. Where it is not stored, the
 * chats are read.
 */
function useHasChats(isNeeded: boolean): boolean {
  const store = useChatList()
  const isStored = useStored(storageKeys.used) !== null
  const isKnown = useSyncExternalStore(store.subscribe, () => store.view(allChats).rows.length > 0)
  useEffect(() => {
    if (isKnown && !isStored) browserStorage.write(storageKeys.used, 'true')
  }, [isKnown, isStored])
  useEffect(() => {
    if (isNeeded && !isStored) return store.open(allChats)
    return undefined
  }, [store, isNeeded, isStored])
  return isStored || isKnown
}

function useStored(key: string): string | null {
  return useSyncExternalStore(browserStorage.subscribe, () => browserStorage.read(key))
}
