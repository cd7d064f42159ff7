import { AppError } from '../lib/app-error.ts'

/** What users read, for each reason why the database could not execute a statement, although it is correct. */
const messages = {
  /** The disk has no space left. */
  full: 'The server has no disk space left, so nothing was changed. Ask its operator to free some, then try again.',
  /** The disk fails, or the database is read-only. */
  unwritable:
    'The server cannot write to its database, so nothing was changed. Ask its operator to check the disk and the permissions, then try again.',
  /** Another process has locked the SQLite file. */
  locked: 'Another process has locked the database, so nothing was changed. Try again in a moment.',
  /** There is no connection to the server, or it was lost. */
  unreachable:
    'The database does not respond. Try again in a moment. If this continues, the operator of this server has to check the database.',
  /** The server or the pool has no free connection, or the server has no memory. */
  busy: 'The database has no free connection. Try again in a moment.',
  /** The server has cancelled the statement or ended its transaction. */
  timeout: 'The database took too long, so nothing was changed. Try again in a moment.',
  /** The statement conflicted with another one and was rolled back. */
  conflict: 'Another change was made at the same moment, so nothing was changed. Try again.',
} as const

export type StorageProblem = keyof typeof messages

/** True for problems that end without an operator freeing space or repairing the disk. */
export function isTemporary(problem: StorageProblem | null): boolean {
  return problem !== null && problem !== 'full' && problem !== 'unwritable'
}

/** The part of a dialect that recognizes problems. */
interface ProblemFinder {
  findProblem(error: unknown): StorageProblem | null
}

/** The error that is sent to the user when the database failed. Null when it did not cause `error`. */
export function toStorageError({ findProblem }: ProblemFinder, error: unknown): AppError | null {
  const problem = findProblem(error)
  return problem === null ? null : createStorageError(problem, error)
}

/** The code `storage_full` also stands for a database that cannot be written. */
export function createStorageError(problem: StorageProblem, cause: unknown): AppError {
  return new AppError(isTemporary(problem) ? 'unavailable' : 'storage_full', messages[problem], { cause })
}
