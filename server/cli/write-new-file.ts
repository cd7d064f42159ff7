import { open, rm } from 'node:fs/promises'
import { toVisibleLine } from '../lib/text.ts'
import { findFileProblem } from './file-problem.ts'
import { CommandError } from './terminal.ts'

/**
 * Writes bytes in parts to a new file that only its owner can read, and returns its size in bytes. An existing file is
 * not changed, and a file that could not be written completely is removed.
 * @throws CommandError when a problem with the file prevents it, or Ctrl+C is pressed
 */
export async function writeNewFile(path: string, parts: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw toCommandError(path, error) ?? error
  })
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort(new CommandError('Nothing was written.'))
  process.once('SIGINT', interrupt)
  try {
    let bytes = 0
    for await (const part of parts) {
      interrupted.signal.throwIfAborted()
      await file.appendFile(part)
      bytes += part.length
    }
    await file.sync()
    return bytes
  } catch (error) {
    await rm(path, { force: true })
    throw toCommandError(path, error) ?? error
  } finally {
    process.off('SIGINT', interrupt)
    await file.close()
  }
}

function toCommandError(path: string, error: unknown): CommandError | undefined {
  const problem = findFileProblem(error)
  return problem === undefined
    ? undefined
    : new CommandError(`${toVisibleLine(path)} was not written: ${problem}.`)
}
