import { closeSync, mkdirSync, openSync } from 'node:fs'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'

/**
 * Creates the data folder, if it is missing, for its owner only.
 * @throws AppError when it cannot be created
 */
export function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unwritable(path, error)
  }
}

/**
 * Creates a missing file for its owner only (§22.19). SQLite gives its other files the same mode. Returns the path.
 * @throws AppError when it cannot be written
 */
export function createPrivateFile(path: string): string {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw unwritable(path, error)
  }
  return path
}

function unwritable(path: string, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    `Yonder cannot write to ${path} (${errorCode(cause)}). Make it writable for the user that runs Yonder, or choose another data folder with --data or DATA_DIR.`,
    { cause },
  )
}
