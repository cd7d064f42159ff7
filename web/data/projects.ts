import type { Project } from '@yonder/contract/project'
import { useMemo } from 'react'
import useSWR from 'swr'
import { projectKeys, useLiveListOptions } from './named-list.ts'

const projectsKey = `${projectKeys}s`

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** The user's projects by name; loaded again on reconnect, but not on focus. */
export function useProjects() {
  const { data, ...read } = useSWR<readonly Project[], Error>(projectsKey, useLiveListOptions())
  const sorted = useMemo(() => data?.toSorted((one, other) => byName.compare(one.name, other.name)), [data])
  return { ...read, data: sorted }
}
