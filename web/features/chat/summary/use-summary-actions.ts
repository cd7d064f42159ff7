import type { Compaction } from '@yonder/contract/compaction'
import { readReason } from '../../../lib/api/api-error.ts'
import { useAction } from '../../../lib/api/use-action.ts'
import type { Summaries } from './summaries-context.ts'

/** The three changes of a summary. Each failure shows its reason and loads the chat again. */
export function useSummaryActions({ id, time }: Compaction, summaries: Summaries) {
  const { chatId, botName, onChanged, onRemoved, onFailed } = summaries
  const path = `/api/chats/${encodeURIComponent(chatId)}/compactions/${encodeURIComponent(id)}`
  const explain = (what: string) => (error: unknown) => {
    const reason = readReason(error)
    return reason.startsWith(what) ? reason : `${what}: ${reason}`
  }
  const shared = { refresh: onFailed, update: (_: unknown, changed: Compaction) => onChanged(changed) }
  const save = useAction<string, Compaction>({
    ...shared,
    call: (api, content) => api.put(path, { content, time }),
    success: () => 'Summary saved',
    failure: explain('The summary could not be saved'),
  })
  const rewrite = useAction<void, Compaction>({
    ...shared,
    call: (api) => api.post(`${path}/rewrite`, { botName }),
    success: () => 'Summary written again',
    failure: explain('The summary could not be written again'),
  })
  const remove = useAction<void, null>({
    call: (api) => api.delete(path),
    update: () => onRemoved(id),
    success: () => 'Summary removed',
    failure: explain('The summary could not be removed'),
    refresh: onFailed,
  })
  return { save, rewrite, remove }
}
