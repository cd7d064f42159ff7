import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes below which a disk is full. A full disk may still have room for a small write in a file that exists. */
const minFreeBytes = 1_000_000

/** Whether the disk of this file is full. False where the system does not know. */
export function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(path))
    return blocks > 0 && bavail * bsize < minFreeBytes
  } catch {
    return false
  }
}
