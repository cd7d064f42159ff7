import type { Project, ProjectDetails } from '@yonder/contract/project'
import { Ellipsis, FolderOpen, Pencil, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { useProject } from '../../data/projects.ts'
import { isNotFound, readReason } from '../../lib/api/api-error.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { Menu, MenuItem, MenuLine } from '../../ui/menu/menu.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { storageKeys } from '../chat/chat-storage.ts'
import { useBotChoice, type BotChoice } from '../chat/composer/bot-select.tsx'
import { NewChat } from '../chat/new-chat.tsx'
import { DeleteProjectDialog, EditProjectDialog } from './project-dialogs.tsx'
import { ProjectInstructions, useInstructionsEdit } from './project-instructions.tsx'

export interface ProjectViewProps {
  readonly projectId: string
  /** The list of its chats. */
  readonly chats: ReactNode
}

/** A project: the input for a new chat in it, its chats and its instructions. */
export function ProjectView({ projectId, chats }: ProjectViewProps) {
  const { data: project, error, mutate } = useProject(projectId)
  const isGone = isNotFound(error)
  const choice = useProjectBot(project, isGone)
  return (
    // The list of chats fills the rest of the window and scrolls by itself.
    <div className="mx-auto flex h-below-header min-h-144 w-full max-w-column flex-col gap-6 px-4 pt-6 sm:px-6 sm:pt-8">
      {isGone ? <GoneNotice project={project} /> : <ProjectHead project={project} />}
      {/* In the same place when the project is gone, so that what was typed stays. */}
      <NewChat
        choice={choice}
        draftKey={storageKeys.projectDraft(projectId)}
        {...(!isGone && { project: projectId })}
        onProjectGone={() => void mutate()}
      />
      {!isGone && project !== undefined && <ProjectTabs project={project} chats={chats} />}
      {!isGone && project === undefined && error !== undefined && (
        <ErrorState title="Error loading project" onRetry={() => void mutate()}>
          {readReason(error)}
        </ErrorState>
      )}
    </div>
  )
}

/**
 * The bot with which a chat of the project begins: the one that was chosen on this page, else that of the project, else
 * the one of the home page.
 */
function useProjectBot(project: Project | undefined, isGone: boolean): BotChoice {
  const home = useBotChoice(storageKeys.homeBot)
  const [chosen, setChosen] = useState<string>()
  const find = (name: string | null | undefined) => home.bots?.find((bot) => bot.name === name)
  if (project === undefined && !isGone) return { ...home, bots: undefined, selected: undefined }
  return { ...home, selected: find(chosen) ?? find(project?.bot) ?? home.selected, select: setChosen }
}

/** What the user is told about a project that another tab has deleted, or that never was. */
function GoneNotice({ project }: { readonly project: Project | undefined }) {
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-card border border-line bg-surface px-5 py-4">
      <h1 className="font-semibold wrap-anywhere">
        {project === undefined ? (
          'There is no such project'
        ) : (
          <>
            The project “<bdi>{project.name}</bdi>” was deleted
          </>
        )}
      </h1>
      <p className="text-sm text-muted">
        A message that you send here starts a chat in no project.{' '}
        <Link to="/" className="text-accent underline">
          Go to the home page
        </Link>
      </p>
    </div>
  )
}

function ProjectHead({ project }: { readonly project: ProjectDetails | undefined }) {
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <header className="flex items-start gap-3">
      <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-sunken text-muted">
        <FolderOpen size={20} aria-hidden />
      </span>
      {project === undefined ? (
        <div className="flex flex-1 flex-col gap-2 pt-1.5">
          <h1 className="sr-only">Loading project...</h1>
          <Skeleton size="h-5 w-48" />
          <Skeleton size="h-4 w-32" />
        </div>
      ) : (
        <>
          <div className="min-w-0 flex-1">
            <h1 dir="auto" className="text-xl font-semibold wrap-anywhere">
              {project.name}
            </h1>
            <p className="text-sm text-muted">{describeProject(project)}</p>
          </div>
          <Menu label="Project actions" trigger={<Ellipsis size={18} aria-hidden className="m-1.5" />}>
            <MenuItem icon={<Pencil size={16} aria-hidden />} onSelect={() => setDialog('edit')}>
              Name and bot…
            </MenuItem>
            <MenuLine />
            <MenuItem icon={<Trash2 size={16} aria-hidden />} onSelect={() => setDialog('delete')}>
              Delete…
            </MenuItem>
          </Menu>
          {dialog === 'edit' && <EditProjectDialog project={project} onClose={close} />}
          {dialog === 'delete' && (
            <DeleteProjectDialog project={project} onDeleted={() => void navigate('/')} onClose={close} />
          )}
        </>
      )}
    </header>
  )
}

function describeProject({ chats, bot }: ProjectDetails): string {
  const count = `${formatCount(chats)} ${chats === 1 ? 'chat' : 'chats'}`
  return bot === null ? count : `${count}, new ones with ${bot}`
}

interface ProjectTabsProps {
  readonly project: ProjectDetails
  readonly chats: ReactNode
}

/** The chats and the instructions. The tab with an edit that was not saved is opened first. */
function ProjectTabs({ project, chats }: ProjectTabsProps) {
  const edit = useInstructionsEdit(project)
  const [tab, setTab] = useState<'chats' | 'instructions'>(edit.isEdited ? 'instructions' : 'chats')
  const names = { chats: 'Chats', instructions: `Instructions${edit.isEdited ? ' (not saved)' : ''}` }
  return (
    <>
      <Tabs label="Project" names={names} selected={tab} onSelect={setTab}>
        {tab === 'chats' ? chats : <ProjectInstructions edit={edit} />}
      </Tabs>
      {edit.question}
    </>
  )
}
