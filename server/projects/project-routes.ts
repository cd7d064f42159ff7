import {
  DeletedProject,
  ProjectChange,
  ProjectDeletion,
  ProjectDetails,
  ProjectInput,
  ProjectList,
} from '@yonder/contract/project'
import type { Database } from '../db/database.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { requireUser } from '../identity/authenticate.ts'
import { requireSelfService } from '../lib/require-self-service.ts'
import { addProject, changeProject, deleteProject } from './change-projects.ts'
import { presentDetails, presentProject } from './present-project.ts'
import { listProjects, requireCountedProject } from './project-store.ts'

export interface ProjectRoutesDeps {
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface ProjectRoutesOptions {
  /** Whether users may delete chats. */
  readonly selfService: boolean
  /** Called after chats were deleted. Their replies must end. */
  readonly onChatsDeleted: () => void
  /** Called when a user's projects have changed. */
  readonly onChanged: (userId: string) => void
  /** Called when lists show something else of these chats. */
  readonly onChatsChanged: (userId: string, chatIds: readonly string[]) => void
}

/** Registers the routes of a user's projects. */
export function registerProjectRoutes(
  api: Api,
  { database, now }: ProjectRoutesDeps,
  { selfService, onChanged, onChatsChanged, onChatsDeleted }: ProjectRoutesOptions,
): void {
  api.get(
    '/api/projects',
    route('user', 'List the projects', [], { response: { 200: ProjectList } }),
    async (request) => (await listProjects(database.db, requireUser(request))).map(presentProject),
  )

  api.get(
    '/api/project/:id',
    route('owner', 'Read a project', [], { params: AnyId, response: { 200: ProjectDetails } }),
    async (request) =>
      presentDetails(await requireCountedProject(database.db, requireUser(request), request.params.id)),
  )

  api.post(
    '/api/project',
    route('owner', 'Create a project', ['conflict'], {
      body: ProjectInput,
      response: { 201: ProjectDetails },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const project = await addProject(database, user, request.body, now())
      onChanged(user.id)
      return reply.status(201).send(presentDetails(project))
    },
  )

  api.put(
    '/api/project/:id',
    route('owner', 'Change a project', [], {
      params: AnyId,
      body: ProjectChange,
      response: { 200: ProjectDetails },
    }),
    async (request) => {
      const user = requireUser(request)
      const project = await changeProject(database, user, request.params.id, request.body)
      onChanged(user.id)
      return presentDetails(project)
    },
  )

  api.delete(
    '/api/project/:id',
    route('owner', 'Delete a project, alone or with its chats', ['forbidden'], {
      params: AnyId,
      querystring: ProjectDeletion,
      response: { 200: DeletedProject },
    }),
    async (request) => {
      const user = requireUser(request)
      const withChats = request.query.chats === 'delete'
      if (withChats) requireSelfService(selfService)
      const { id } = request.params
      const { chats, deleted } = await deleteProject(database, user, { id, withChats, now: now() })
      if (withChats) onChatsDeleted()
      onChanged(user.id)
      onChatsChanged(user.id, chats)
      return { deleted_chats: deleted }
    },
  )
}
