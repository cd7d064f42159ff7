import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { browserStorage } from '../../lib/browser-storage.ts'
import { ImageSitesContext } from './image-sites.ts'
import type { ImageSites } from './image-sites.ts'

/** Remembers the sites whose images are always shown, under a storage key of the person. */
export function ImageSitesProvider({
  storageKey,
  children,
}: {
  readonly storageKey: string
  readonly children: ReactNode
}) {
  const [sites, setSites] = useState(() => readSites(storageKey))
  const value = useMemo(
    (): ImageSites => ({
      has: (site) => sites.has(site),
      allow: (site) => {
        const next = new Set([...readSites(storageKey), site])
        browserStorage.write(storageKey, JSON.stringify([...next]))
        setSites(next)
      },
    }),
    [sites, storageKey],
  )
  return <ImageSitesContext value={value}>{children}</ImageSitesContext>
}

function readSites(storageKey: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(browserStorage.read(storageKey) ?? '[]')
    return new Set(Array.isArray(stored) ? stored.filter((site) => typeof site === 'string') : [])
  } catch {
    return new Set()
  }
}
