import { expect, test } from 'vitest'
import type { SectionView } from '../../data/chat-list.ts'
import { groupSections, projectsLabel, type ListedProject } from './list-rows.ts'

const empty: SectionView = { rows: [], hasMore: false, isLoading: false, isFailed: false }
const part = (section: 'pinned' | 'recent') => ({ selection: { section }, view: empty })

function listProjects(projects: readonly ListedProject[], allProjects = false, shownProject?: string) {
  const groups = groupSections({
    pinned: part('pinned'),
    projects,
    allProjects,
    shownProject,
    recent: part('recent'),
    today: new Date(),
  })
  const { rows = [] } = groups.find(({ label }) => label === projectsLabel) ?? {}
  return rows.flatMap((row) =>
    row.kind === 'project' ? row.project.name : row.kind === 'projects' ? `all ${row.count}` : [],
  )
}

const named = (count: number): ListedProject[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `p${index}`,
    name: `${index}`,
    marks: 0,
    chats: undefined,
  }))

test('of many projects the first ones are listed, and those that are open, shown or want attention', () => {
  expect(listProjects(named(6))).toEqual(['0', '1', '2', '3', '4', '5'])
  expect(listProjects(named(200))).toEqual(['0', '1', '2', '3', '4', 'all 200'])
  const projects = named(200)
  projects[50] = { ...projects[50]!, marks: 2 }
  projects[70] = {
    ...projects[70]!,
    chats: { selection: { section: 'project', project: 'p70' }, view: empty },
  }
  expect(listProjects(projects, false, 'p199')).toEqual(['0', '1', '50', '70', '199', 'all 200'])
  expect(listProjects(projects, true)).toHaveLength(201)
})
