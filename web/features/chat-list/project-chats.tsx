import { Folder } from 'lucide-react'
import { useMemo } from 'react'
import { useSection, type Selection } from '../../data/chat-list.ts'
import { EmptyState } from '../../ui/states/states.tsx'
import { groupProject } from './list-rows.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import { RowList } from './row-list.tsx'
import { useToday } from './time-groups.ts'

/** The chats of a project, on its page. */
export function ProjectChats({ projectId }: { readonly projectId: string }) {
  const selection = useMemo((): Selection => ({ section: 'project', project: projectId }), [projectId])
  const view = useSection(selection)
  const today = useToday()
  const groups = useMemo(() => groupProject({ selection, view }, today), [selection, view, today])
  if (view.rows.length === 0 && view.hasMore && !view.isFailed) return <ListSkeleton />
  if (groups.length === 0)
    return (
      <EmptyState icon={<Folder size={22} aria-hidden />} title="No chats yet">
        The first message starts one here. Chats from the list can be moved into the project too.
      </EmptyState>
    )
  return (
    // Aligned with the column: the rows have their own space around them, and the first head has some above.
    <div className="-mx-2 -mt-5 flex min-h-0 flex-1 flex-col">
      <RowList groups={groups} all={selection} />
    </div>
  )
}
