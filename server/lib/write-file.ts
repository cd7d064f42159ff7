import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode } from './describe-error.ts'

/** Returns the text of a file; undefined when there is none. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file that only its owner can read. An existing one stays as it is, also when two processes write it at once. */
export function writeFileOnce(path: string, text: string): void {
  const draft = writeDraft(path, text)
  try {
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** A reader sees the old or the new content, also after a power failure in between. */
export function replaceFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path)
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
  return draft
}
