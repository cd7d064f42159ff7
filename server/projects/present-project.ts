import type { Project, ProjectDetails } from '@yonder/contract/project'
import type { CountedProject, NamedProject } from './project-store.ts'

/** Presents a project to its owner, as lists show it. */
export function presentProject({ id, name, bot }: NamedProject): Project {
  return { id, name, bot }
}

export function presentDetails(project: CountedProject): ProjectDetails {
  const { instructions, chats } = project
  return { ...presentProject(project), instructions, chats }
}
