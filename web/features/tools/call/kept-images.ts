import { useEffect } from 'react'
import { useSWRConfig, type Cache } from 'swr'

/** The limit for the images that are no longer shown, in characters of all their data. */
export const maxKeptChars = 16_000_000

interface Images {
  /** In how many places each image is shown, by its key. */
  readonly shown: Map<string, number>
  /** The keys of the images that are no longer shown, the last one hidden at the end. */
  readonly hidden: Set<string>
}

const imagesOf = new WeakMap<Cache, Images>()

/** Keeps an image in the cache of reads while it is shown, and afterwards until others need the space. */
export function useKeptImage(key: string): void {
  const { cache } = useSWRConfig()
  useEffect(() => {
    const images = imagesOf.get(cache) ?? { shown: new Map<string, number>(), hidden: new Set<string>() }
    imagesOf.set(cache, images)
    const { shown, hidden } = images
    shown.set(key, (shown.get(key) ?? 0) + 1)
    hidden.delete(key)
    return () => {
      const count = (shown.get(key) ?? 1) - 1
      if (count > 0) return void shown.set(key, count)
      shown.delete(key)
      hidden.add(key)
      removeOldest(cache, hidden)
    }
  }, [cache, key])
}

/** Removes the oldest images beyond the limit. Reads all sizes, because an image can arrive after it was hidden. */
function removeOldest(cache: Cache, hidden: Set<string>): void {
  let chars = 0
  for (const key of [...hidden].reverse()) {
    const image = cache.get(key)?.data as string | undefined
    chars += image?.length ?? 0
    if (chars <= maxKeptChars) continue
    cache.delete(key)
    hidden.delete(key)
  }
}
