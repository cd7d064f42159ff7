import type {
  ChangedChats,
  ChatChange,
  ChatsChange,
  ChatsPurge,
  PurgedChats,
} from '@yonder/contract/chat-list'
import { maxNamedChats } from '@yonder/contract/lib/chat-limits'
import type { ShareResponse } from '@yonder/contract/share'
import { isNotFound, readReason } from '../lib/api/api-error.ts'
import { useAction, type ActionResult } from '../lib/api/use-action.ts'
import { toast } from '../lib/toasts.ts'
import { useChatList, type RowPatch } from './chat-list.ts'
import { sharesKey } from './named-list.ts'

/** What is done, as an undone action and a failure are named. */
type Verb =
  | 'renamed'
  | 'pinned'
  | 'unpinned'
  | 'moved'
  | 'marked'
  | 'archived'
  | 'unarchived'
  | 'deleted'
  | 'restored'

/** A change of some chats, or of all that match. */
export interface ChangeRequest {
  readonly chats: ChatsChange['chats']
  readonly change: ChatChange
}

interface UndoableRequest extends ChangeRequest {
  /** Undoes the change; undefined for a change that the user sees in its row, or that no one change undoes. */
  readonly back: ChatChange | undefined
}

/**
 * Changes chats, in one request. The lists show the change at once, and take it back when the server refuses it. What
 * removes chats from the list can be undone.
 */
export function useChangeChats() {
  const store = useChatList()
  const action = useAction<UndoableRequest, ChangedChats>({
    async call(api, { chats, change }) {
      const applied = isNamed(chats) ? store.apply(chats, toPatch(change)) : undefined
      try {
        const answer = await api.patch<ChangedChats>('/api/chats', { chats, change })
        applied?.keep(answer?.chats)
        return answer
      } catch (error) {
        applied?.takeBack()
        throw error
      }
    },
    // The links of deleted chats are off.
    update: (update, _answer, { change }) => change.deleted !== undefined && update(sharesKey),
    success: ({ ids }, { change, back }) =>
      back === undefined || ids.length === 0 ? undefined : `${count(ids.length)} ${verbOf(change)}`,
    undo: ({ ids }, { back }) =>
      back === undefined || ids.length === 0 || ids.length > maxNamedChats
        ? undefined
        : () => void action.run({ chats: [...ids], change: back, back: undefined }),
    failure: (error, { chats, change }) =>
      `${isNamed(chats) && chats.length === 1 ? 'The chat was' : 'The chats were'} not ${verbOf(change)}: ${readReason(error, { 'change.title': 'Title' })}`,
  })
  return (request: ChangeRequest) => action.run({ ...request, back: backOf(request) })

  function backOf({ chats, change }: ChangeRequest): ChatChange | undefined {
    if (change.archived === true) return { archived: false }
    if (change.deleted === true) return { deleted: false }
    if (change.project_id === undefined || !isNamed(chats)) return undefined
    const [project, ...others] = new Set(chats.map((id) => store.row(id)?.project_id ?? null))
    return project === undefined || others.length > 0 ? undefined : { project_id: project }
  }
}

/** Restores deleted chats, some or all, and says so. */
export function useRestoreChats() {
  const change = useChangeChats()
  return async (chats: ChatsChange['chats']): Promise<ActionResult<ChangedChats>> => {
    const result = await change({ chats, change: { deleted: false } })
    if (result.done && result.answer.ids.length > 0)
      toast.success(`${count(result.answer.ids.length)} restored`)
    return result
  }
}

/** Deletes deleted chats for good, some or all. Returns whether they are. */
export function usePurgeChats() {
  const store = useChatList()
  const { run } = useAction({
    call: (api, chats: ChatsPurge['chats']) =>
      api.post<PurgedChats>('/api/chats/purge', { chats }).catch((error: unknown) => {
        // Another tab has deleted them for good, or restored them.
        if (isNotFound(error)) return { purged: 0 }
        throw error
      }),
    success: ({ purged }) => (purged === 0 ? undefined : `${count(purged)} deleted for good`),
    failure: (error) => `The chats were not deleted: ${readReason(error)}`,
  })
  return async (chats: ChatsPurge['chats']): Promise<boolean> => {
    const { done } = await run(chats)
    if (done)
      store.remove(chats === 'all' ? store.view({ section: 'deleted' }).rows.map(({ id }) => id) : chats)
    return done
  }
}

/** Shares a chat as it is shown now. */
export function useShareChat() {
  return useAction({
    call: (api, chatId: string) => api.post<ShareResponse>(`/api/share/${chatId}`, {}),
    update: (update) => update(sharesKey),
    failure: (error) => `Failed to generate share link: ${readReason(error)}`,
  })
}

function isNamed(chats: ChatsChange['chats']): chats is string[] {
  return Array.isArray(chats)
}

const count = (chats: number): string => (chats === 1 ? 'Chat' : `${chats.toLocaleString('en')} chats`)

function verbOf(change: ChatChange): Verb {
  if (change.deleted !== undefined) return change.deleted ? 'deleted' : 'restored'
  if (change.archived !== undefined) return change.archived ? 'archived' : 'unarchived'
  if (change.pinned !== undefined) return change.pinned ? 'pinned' : 'unpinned'
  if (change.project_id !== undefined) return 'moved'
  return change.title === undefined ? 'marked' : 'renamed'
}

function toPatch({ title, project_id, deleted, ...flags }: ChatChange): RowPatch {
  return {
    ...flags,
    // The title that was given by itself is known to the server only.
    ...(title ? { title } : {}),
    ...(project_id === undefined ? {} : { project_id: project_id ?? undefined }),
    ...(deleted === undefined ? {} : { deleted_time: deleted ? new Date().toISOString() : undefined }),
  }
}
