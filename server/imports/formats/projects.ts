import { isObject } from '../../lib/json-object.ts'
import { looseId, looseName } from './loose-values.ts'

/** Adds the names of a list of projects, by their ids. */
export function addProjects(projects: Map<string, string>, value: unknown): void {
  if (!Array.isArray(value)) return
  for (const project of value as unknown[]) {
    if (!isObject(project)) continue
    const id = looseId.parse(project['uuid'] ?? project['id'])
    const name = looseName.parse(project['name'])
    if (id !== null && name !== null) projects.set(id, name)
  }
}
