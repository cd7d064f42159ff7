import { AppError } from '../../lib/app-error.ts'

/** The version of our export that is read. */
const knownVersion = 1

export function isNewerVersion(version: unknown): boolean {
  return typeof version !== 'number' || version > knownVersion
}

export function newerVersion(fileName: string): AppError {
  return new AppError(
    'invalid_request',
    `${fileName} was exported by a newer version of Yonder. Update this server, and import the file again.`,
  )
}
