import { Folder, FolderOpen } from 'lucide-react'
import type { Ref } from 'react'
import { Link } from 'react-router'
import { classNames } from '../../ui/class-names.ts'
import type { ListedProject } from './list-rows.ts'
import { opensHere, rowLook } from './rows.tsx'

export interface ProjectRowProps {
  readonly ref?: Ref<HTMLElement> | undefined
  readonly project: ListedProject
  /** Whether this page shows the project. */
  readonly isCurrent: boolean
  readonly isTabStop: boolean
  /** Opens or closes the list of its chats. */
  readonly onToggle: () => void
  /** Called when the project is opened in this page. */
  readonly onOpen: (() => void) | undefined
}

/** A project in the list, whose chats can be opened below it. */
export function ProjectRow({ ref, project, isCurrent, isTabStop, onToggle, onOpen }: ProjectRowProps) {
  const { id, name, marks, chats } = project
  const isOpen = chats !== undefined
  const Icon = isOpen ? FolderOpen : Folder
  return (
    <div className="relative h-full">
      <Link
        ref={ref as Ref<HTMLAnchorElement>}
        to={`/project/${encodeURIComponent(id)}`}
        title={name}
        aria-label={marks === 0 ? name : `${name}, ${marks} unread`}
        aria-expanded={isOpen}
        aria-current={isCurrent ? 'page' : undefined}
        tabIndex={isTabStop ? 0 : -1}
        onClick={(event) => {
          if (opensHere(event)) onOpen?.()
        }}
        className={classNames(rowLook, 'pl-8.5 pointer-coarse:pl-11', isCurrent && 'bg-pressed font-medium')}
      >
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {name}
        </span>
        {marks > 0 && (
          <span aria-hidden className="min-w-6 text-center text-xs text-muted tabular-nums">
            {marks}
          </span>
        )}
      </Link>
      <button
        type="button"
        // The arrow keys open and close the project too, so that the list is one tab stop.
        tabIndex={-1}
        aria-label={`${isOpen ? 'Hide' : 'Show'} the chats of ${name}`}
        onClick={onToggle}
        className="absolute inset-y-0 left-1 my-auto inline-flex size-7 items-center justify-center rounded-inner text-muted hover:bg-pressed hover:text-ink pointer-coarse:left-0 pointer-coarse:size-11"
      >
        <Icon size={16} aria-hidden />
      </button>
    </div>
  )
}
