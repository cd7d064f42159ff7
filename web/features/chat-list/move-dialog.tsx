import { matchesSearch } from '@yonder/contract/lib/fold-text'
import { Folder, FolderMinus, FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { useProjects } from '../../data/projects.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { moveByArrowKeys } from '../../ui/focus.ts'
import { SearchInput } from '../../ui/form/text-input.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { LoadingState } from '../../ui/states/states.tsx'
import { AddProjectDialog } from '../projects/project-dialogs.tsx'

/** More projects than this are filtered. */
const manyProjects = 8

export interface MoveDialogProps {
  /** Called with the id of the chosen project, or null for none. */
  readonly onMove: (projectId: string | null) => void
  readonly onClose: () => void
}

/** Asks for a project, which can be a new one. */
export function MoveDialog({ onMove, onClose }: MoveDialogProps) {
  const { data: projects, error, mutate } = useProjects()
  const [filter, setFilter] = useState('')
  const [isAdding, setAdding] = useState(false)
  const matches = matchesSearch(filter)
  const shown = projects?.filter(({ name }) => matches(name)) ?? []
  return (
    <Dialog size="small" title="Move to project" onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys move through the box and the rows */}
      <div
        onKeyDown={(event) => moveByArrowKeys(event, 'input, li button')}
        className="flex flex-col gap-2 pt-3"
      >
        {(projects?.length ?? 0) > manyProjects && (
          <SearchInput
            aria-label="Filter projects"
            placeholder="Filter projects"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
        {projects === undefined && error === undefined && <LoadingState>Loading projects...</LoadingState>}
        {projects === undefined && error !== undefined && (
          <ErrorState title="Error loading projects" onRetry={() => void mutate()}>
            Your projects could not be loaded.
          </ErrorState>
        )}
        {projects !== undefined && (
          <ul className="max-h-[50dvh] overflow-y-auto">
            <Choice icon={<FolderMinus size={16} aria-hidden />} onChoose={() => onMove(null)}>
              No project
            </Choice>
            {shown.map(({ id, name }) => (
              <Choice key={id} icon={<Folder size={16} aria-hidden />} onChoose={() => onMove(id)}>
                {name}
              </Choice>
            ))}
            <Choice icon={<FolderPlus size={16} aria-hidden />} onChoose={() => setAdding(true)}>
              New project…
            </Choice>
          </ul>
        )}
        {projects !== undefined && projects.length > 0 && shown.length === 0 && (
          <p className="text-sm text-muted">No project has this name.</p>
        )}
      </div>
      {isAdding && <AddProjectDialog onAdded={({ id }) => onMove(id)} onClose={() => setAdding(false)} />}
    </Dialog>
  )
}

interface ChoiceProps {
  readonly icon: React.ReactNode
  readonly onChoose: () => void
  readonly children: string
}

function Choice({ icon, onChoose, children }: ChoiceProps) {
  return (
    <li>
      <button
        type="button"
        onClick={onChoose}
        className="flex min-h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-start text-sm -outline-offset-2 transition-colors hover:bg-hover pointer-coarse:min-h-11"
      >
        <span className="text-muted">{icon}</span>
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {children}
        </span>
      </button>
    </li>
  )
}
