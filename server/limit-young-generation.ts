import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Two halves of 16 MiB, which is the limit of V8 in Node 22. */
const defaultMaxBytes = 32 * 1024 * 1024
/** Between two looks at its size. */
const intervalMs = 250

/**
 * Keeps the part of V8's memory for new objects from growing beyond `maxBytes`. In Node 24 it grows to three times that,
 * which a thousand waiting replies make it do: they took 70 MB more memory, and nothing was faster. The flag of Node
 * that limits it must be known before the process starts; this one is read whenever the memory would grow.
 */
export function limitYoungGeneration(maxBytes = defaultMaxBytes): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    // It doubles when it grows.
    if (young === undefined || young.space_size * 2 <= maxBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, intervalMs)
  timer.unref()
}
