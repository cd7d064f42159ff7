import { readdirSync, readFileSync } from 'node:fs'

/** The number of file descriptors that this process may have open. Null on a system other than Linux. */
export function readDescriptorLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}

/** The number of file descriptors that this process has open. Only on Linux. */
export function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length
}
