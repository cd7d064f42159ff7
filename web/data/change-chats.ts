import type { ChangedChats, ChatChange, ChatsChange } from '@yonder/contract/chat-list'
import { maxNamedChats } from '@yonder/contract/lib/chat-limits'
import type { ShareResponse } from '@yonder/contract/share'
import { readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
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

/**
 * Changes chats, in one request. The lists show the change at once, and take it back when the server refuses it. What
 * removes chats from the list can be undone.
 */
export function useChangeChats() {
  const store = useChatList()
  const action = useAction<ChangeRequest, ChangedChats>({
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
    success({ changed }, { change }) {
      const verb = verbOf(change)
      return (verb === 'archived' || verb === 'deleted') && changed > 0
        ? `${count(changed)} ${verb}`
        : undefined
    },
    undo({ ids }, { change }) {
      const verb = verbOf(change)
      if ((verb !== 'archived' && verb !== 'deleted') || ids.length > maxNamedChats) return undefined
      const back: ChatChange = verb === 'archived' ? { archived: false } : { deleted: false }
      return () => void action.run({ chats: [...ids], change: back })
    },
    failure: (error, { chats, change }) =>
      `${isNamed(chats) && chats.length === 1 ? 'The chat was' : 'The chats were'} not ${verbOf(change)}: ${readReason(error, { 'change.title': 'Title' })}`,
  })
  return action.run
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
