import { open, rm } from 'node:fs/promises'
import { toVisibleLine } from '../lib/text.ts'
import { errorCode } from '../lib/describe-error.ts'
import { CommandError } from './terminal.ts'

/**
 * Writes a text in parts to a new file that only its owner can read, and returns its bytes. A file that exists is not
 * changed, and a file that could not be written completely is removed.
 * @throws CommandError with the reason
 */
export async function writeNewFile(path: string, parts: AsyncIterable<string>): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandError(describeProblem(path, error))
  })
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort(new CommandError('Nothing was written.'))
  process.once('SIGINT', interrupt)
  try {
    let bytes = 0
    for await (const part of parts) {
      interrupted.signal.throwIfAborted()
      await file.appendFile(part)
      bytes += Buffer.byteLength(part)
    }
    await file.sync()
    return bytes
  } catch (error) {
    await rm(path, { force: true })
    throw isFileError(error) ? new CommandError(describeProblem(path, error)) : error
  } finally {
    process.off('SIGINT', interrupt)
    await file.close()
  }
}

const problems: Readonly<Record<string, string>> = {
  EEXIST: 'The file exists already. Choose another name, or remove it.',
  ENOENT: 'Its folder does not exist.',
  ENOTDIR: 'Its folder does not exist.',
  EACCES: 'You may not write there.',
  EPERM: 'You may not write there.',
  EROFS: 'The disk is read-only.',
  EISDIR: 'It is a folder.',
  ENOSPC: 'The disk is full, so nothing was kept.',
  EDQUOT: 'The disk quota is used up, so nothing was kept.',
  EFBIG: 'The file is too large for this file system, so nothing was kept.',
  EIO: 'The disk has failed, so nothing was kept.',
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && errorCode(error) in problems
}

function describeProblem(path: string, error: unknown): string {
  const reason = problems[errorCode(error)] ?? (error instanceof Error ? error.message : String(error))
  return `${toVisibleLine(path)} was not written. ${reason}`
}
