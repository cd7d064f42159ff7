import { maxProjectNameChars } from '@yonder/contract/lib/project-limits'
import type { Project } from '@yonder/contract/project'
import { use, useState } from 'react'
import { useBots } from '../../data/bots.ts'
import { useAddProject, useChangeProject, useDeleteProject, useProject } from '../../data/projects.ts'
import { SelfServiceContext } from '../../data/self-service.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { useForm } from '../../lib/use-form.ts'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { EditDialog } from '../../ui/dialog/form-dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { RadioGroup } from '../../ui/form/radio-group.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'

export interface AddProjectDialogProps {
  /** Called with the new project. */
  readonly onAdded: (project: Project) => void
  readonly onClose: () => void
}

/** Creates a project. */
export function AddProjectDialog({ onAdded, onClose }: AddProjectDialogProps) {
  const add = useAddProject()
  return (
    <ProjectDialog
      title="New project"
      action="Create"
      save={async (draft) => {
        const result = await add.run(draft)
        if (result.done) onAdded(result.answer)
      }}
      onClose={onClose}
    />
  )
}

export interface ProjectDialogOfProps {
  readonly project: Pick<Project, 'id' | 'name' | 'bot'>
  readonly onClose: () => void
}

/** Changes the name and the bot of a project. */
export function EditProjectDialog({ project, onClose }: ProjectDialogOfProps) {
  const change = useChangeProject(project.id)
  return (
    <ProjectDialog
      title="Edit project"
      action="Save"
      project={project}
      save={async (draft) => {
        if ((await change.run(draft)).done) onClose()
      }}
      onClose={onClose}
    />
  )
}

type Draft = Pick<Project, 'name' | 'bot'>

interface ProjectDialogProps {
  readonly title: string
  readonly action: string
  readonly project?: Draft
  readonly save: (draft: Draft) => Promise<void>
  readonly onClose: () => void
}

function ProjectDialog({ title, action, project, save, onClose }: ProjectDialogProps) {
  const { data: bots = [] } = useBots()
  const form = useForm<Draft, 'name'>({
    initial: () => ({ name: project?.name ?? '', bot: project?.bot ?? null }),
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    submit: save,
  })
  const { draft, problems, change } = form
  return (
    <EditDialog form={form} title={title} action={action} onClose={onClose}>
      <Field label="Name" required error={problems.name}>
        <TextInput
          ref={form.ref('name')}
          dir="auto"
          autoComplete="off"
          maxLength={maxProjectNameChars}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <Field label="Bot" hint="The chats of the project begin with it. In each chat you can choose another.">
        <Select
          value={draft.bot ?? ''}
          onChange={(event) => change({ bot: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">As on the home page</option>
          {bots.map(({ name, model }) => (
            <option key={name} value={name}>{`${name} (${model})`}</option>
          ))}
        </Select>
      </Field>
    </EditDialog>
  )
}

export interface DeleteProjectDialogProps extends ProjectDialogOfProps {
  readonly onDeleted: () => void
}

/** Asks before a project is deleted, and whether its chats stay. */
export function DeleteProjectDialog({ project, onDeleted, onClose }: DeleteProjectDialogProps) {
  const { id, name } = project
  const chats = useProject(id).data?.chats
  const canDelete = use(SelfServiceContext) === true && chats !== undefined && chats > 0
  const [choice, setChoice] = useState<'keep' | 'delete'>('keep')
  const remove = useDeleteProject()
  return (
    <ConfirmDialog
      title={`Delete the project “${name}”?`}
      message={`${canDelete ? '' : `${describeKept(chats)} `}The project and its instructions cannot be restored.`}
      action="Delete"
      onConfirm={async () => (await remove.run({ id, withChats: canDelete && choice === 'delete' })).done}
      onDone={onDeleted}
      onCancel={onClose}
    >
      {canDelete && (
        <RadioGroup
          label="Its chats"
          options={[
            { value: 'keep', label: chats === 1 ? 'Keep its chat' : `Keep its ${formatCount(chats)} chats` },
            { value: 'delete', label: chats === 1 ? 'Delete it too' : 'Delete them too' },
          ]}
          value={choice}
          onChange={setChoice}
        />
      )}
    </ConfirmDialog>
  )
}

/** Says what becomes of the chats of a project. Their number is undefined while it is not known. */
function describeKept(chats: number | undefined): string {
  if (chats === 0) return 'It has no chats.'
  if (chats === 1) return 'Its chat is kept, in no project.'
  return `Its ${chats === undefined ? '' : `${formatCount(chats)} `}chats are kept, in no project.`
}
