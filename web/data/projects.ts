import { maxNamedChats } from '@yonder/contract/lib/chat-limits'
import type {
  DeletedProject,
  Project,
  ProjectChange,
  ProjectDetails,
  ProjectInput,
} from '@yonder/contract/project'
import { useMemo } from 'react'
import useSWR from 'swr'
import { readReason, type FieldLabels } from '../lib/api/api-error.ts'
import { optionalReadOptions } from '../lib/api/api-provider.tsx'
import { useAction } from '../lib/api/use-action.ts'
import { formatCount } from '../lib/format-usage.ts'
import { useChangeChats } from './change-chats.ts'
import { projectKeys, sharesKey, useLiveListOptions } from './named-list.ts'

const projectsKey = `${projectKeys}s`

const projectPath = (id: string): string => `${projectKeys}/${encodeURIComponent(id)}`

const labels: FieldLabels = { name: 'Name', instructions: 'Instructions', bot: 'Bot' }

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** The user's projects by name; loaded again on reconnect, but not on focus. */
export function useProjects() {
  const { data, ...read } = useSWR<readonly Project[], Error>(projectsKey, useLiveListOptions())
  const sorted = useMemo(() => data?.toSorted((one, other) => byName.compare(one.name, other.name)), [data])
  return { ...read, data: sorted }
}

/** A project with what only its page shows. A project that is gone is a 404, which is not read again. */
export function useProject(id: string) {
  return useSWR<ProjectDetails, Error>(projectPath(id), { ...optionalReadOptions, ...useLiveListOptions() })
}

/** Creates a project. */
export function useAddProject() {
  return useAction({
    call: (api, input: ProjectInput) => api.post<ProjectDetails>('/api/project', input),
    update: (update, project) =>
      update<readonly Project[]>(projectsKey, (projects = []) => [...without(projects, project.id), project]),
    success: ({ name }) => `Project "${name}" created`,
    failure: (error) => `Failed to create project: ${readReason(error, labels)}`,
  })
}

/** Changes a project. Fields that are absent keep their values. */
export function useChangeProject(id: string) {
  return useAction({
    call: (api, change: ProjectChange) => api.put<ProjectDetails>(projectPath(id), change),
    update(update, project) {
      void update<ProjectDetails>(projectPath(id), () => project)
      return update<readonly Project[]>(projectsKey, (projects) =>
        projects?.map((other) => (other.id === id ? project : other)),
      )
    },
    success: ({ name }) => `Project "${name}" updated`,
    failure: (error) => `Failed to save project: ${readReason(error, labels)}`,
  })
}

/** A project that is deleted, alone or with its chats. */
export interface ProjectRemoval extends Pick<Project, 'id'> {
  readonly withChats: boolean
}

/** Deletes a project. Its chats stay, or are deleted too, which can be undone. */
export function useDeleteProject() {
  const changeChats = useChangeChats()
  return useAction({
    call: (api, { id, withChats }: ProjectRemoval) =>
      api.delete<DeletedProject>(`${projectPath(id)}${withChats ? '?chats=delete' : ''}`),
    update(update, { deleted_chats: deleted }, { id }) {
      // The links of deleted chats are off.
      if (deleted.length > 0) void update(sharesKey)
      return update<readonly Project[]>(projectsKey, (projects) => projects && without(projects, id))
    },
    success: ({ deleted_chats: { length } }) =>
      length === 0
        ? 'Project deleted'
        : `Project and ${length === 1 ? 'its chat' : `its ${formatCount(length)} chats`} deleted`,
    undo: ({ deleted_chats: chats }) =>
      chats.length === 0 || chats.length > maxNamedChats
        ? undefined
        : () => void changeChats({ chats, change: { deleted: false } }),
    failure: (error) => `Failed to delete project: ${readReason(error)}`,
  })
}

function without(projects: readonly Project[], id: string): readonly Project[] {
  return projects.filter((project) => project.id !== id)
}
