import { getHeapStatistics } from 'node:v8'
import { countDescriptors, readDescriptorLimit } from './lib/descriptors.ts'

/** How much of something is used, in its unit, and the advice when it is nearly used up. */
export interface Usage {
  readonly what: string
  readonly used: number
  readonly limit: number
  readonly advice: string
}

const intervalMs = 30_000
/** The share from which on a warning is logged. */
const nearlyAll = 0.9
/** Between two warnings about the same thing. */
const silenceMs = 600_000

/**
 * Warns before this process ends or fails for lack of memory or file descriptors, because then it may no longer be able
 * to. Two measurements in a row are needed, because much memory is free again in a moment.
 */
export function watchResources(
  warn: (text: string) => void,
  { read = readUsage, now = Date.now }: { readonly read?: () => readonly Usage[]; now?(): number } = {},
): { check(): void; stop(): void } {
  const warnedAt = new Map<string, number>()
  let wasNear = new Set<string>()
  const check = (): void => {
    const near = read().filter(({ used, limit }) => used >= limit * nearlyAll)
    for (const { what, used, limit, advice } of near) {
      if (!wasNear.has(what) || now() - (warnedAt.get(what) ?? -Infinity) < silenceMs) continue
      warnedAt.set(what, now())
      warn(`${used.toLocaleString('en')} of ${limit.toLocaleString('en')} ${what} are in use. ${advice}`)
    }
    wasNear = new Set(near.map(({ what }) => what))
  }
  const timer = setInterval(check, intervalMs)
  timer.unref()
  return { check, stop: () => clearInterval(timer) }
}

const megabyte = 1_048_576
/** What the kernel reports when a container has no limit is more than any machine has. */
const maxMemory = 2 ** 50

function readUsage(): readonly Usage[] {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  const memory = process.constrainedMemory()
  const descriptorLimit = readDescriptorLimit()
  return [
    {
      what: 'MB of the JavaScript heap',
      used: Math.round(used_heap_size / megabyte),
      limit: Math.round(heap_size_limit / megabyte),
      advice:
        'When all are, the process ends. Give it more, with NODE_OPTIONS=--max-old-space-size=<MB> or a higher limit of the container.',
    },
    ...(memory > 0 && memory < maxMemory
      ? [
          {
            what: "MB of the container's memory",
            used: Math.round(process.memoryUsage.rss() / megabyte),
            limit: Math.round(memory / megabyte),
            advice: 'When all are, the process is killed. Raise the limit of the container.',
          },
        ]
      : []),
    ...(descriptorLimit === null
      ? []
      : [
          {
            what: 'file descriptors',
            used: countDescriptors(),
            limit: descriptorLimit,
            advice:
              'When all are, requests to other servers fail. Raise the limit: LimitNOFILE= of systemd, ulimits of a container, or ulimit -n.',
          },
        ]),
  ]
}
