import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'
import { findExhausted } from '../lib/exhausted.ts'

const cannotWrite =
  'The server cannot write to its database, so nothing was changed. Ask its operator to check the disk and the permissions, then try again.'
const doesNotRespond =
  'The database does not respond. Try again in a moment. If this continues, the operator of this server has to check the database.'

interface Texts {
  /** What users read. */
  readonly user: string
  /** What is wrong and what to do, for the operator. They name nothing of the installation. */
  readonly operator: readonly [problem: string, advice: string]
}

/** The reasons why the database could not execute a statement, although it is correct. */
const problems = {
  full: {
    user: 'The server has no disk space left, so nothing was changed. Ask its operator to free some, then try again.',
    operator: ['The disk of the database is full.', 'Free some space on it.'],
  },
  unwritable: {
    user: cannotWrite,
    operator: [
      'The database cannot be written.',
      'Check its disk, and that this user can read and write it.',
    ],
  },
  read_only: {
    user: cannotWrite,
    operator: [
      'The database is read-only.',
      'If it is a standby, connect to the primary server. Otherwise turn off default_transaction_read_only or, with SQLite, make the file and its disk writable.',
    ],
  },
  /** What is written to the open file is lost when the process ends. */
  moved: {
    user: cannotWrite,
    operator: [
      'The database file was deleted or replaced while the server was running.',
      'Stop the server, put the file or a backup in its place, and start it again.',
    ],
  },
  damaged: {
    user: 'The database of this server is damaged. Ask its operator to restore a backup.',
    operator: ['The database is damaged.', 'Stop the server, keep a copy of the data, and restore a backup.'],
  },
  locked: {
    user: 'Another process has locked the database, so nothing was changed. Try again in a moment.',
    operator: [
      'Another process has locked the database.',
      'Stop the process that has locked it, or wait until it ends.',
    ],
  },
  /** There is no connection to the server, or it was lost. */
  unreachable: {
    user: doesNotRespond,
    operator: [
      'The database does not respond.',
      'Check that it runs, and that this machine can connect to it.',
    ],
  },
  /** To users, a refused password or a missing database is the same as a server that does not respond. */
  refused: {
    user: doesNotRespond,
    operator: [
      'PostgreSQL refuses the user.',
      'Check the user and the password in DATABASE_URL, and what the user may do.',
    ],
  },
  /** The connection would not be secure, as the operator wants it. */
  untrusted: {
    user: doesNotRespond,
    operator: [
      'The certificate of PostgreSQL is not accepted.',
      'Set sslrootcert in DATABASE_URL to the file of its authority, and use the name in the certificate.',
    ],
  },
  unencrypted: {
    user: doesNotRespond,
    operator: [
      'PostgreSQL does not offer encrypted connections.',
      'Turn on ssl in its configuration or, if you trust the network, use sslmode=disable in DATABASE_URL.',
    ],
  },
  missing: {
    user: doesNotRespond,
    operator: ['The database does not exist.', 'Create it, or correct DATABASE_URL.'],
  },
  /** The server or the pool has no free connection, or the server has no memory. */
  busy: {
    user: 'The database has no free connection. Try again in a moment.',
    operator: [
      'The database has no free connection.',
      'Raise max_connections of PostgreSQL, or the connection limit of its user or database, or end other clients.',
    ],
  },
  /** The server has cancelled the statement or ended its transaction. */
  timeout: {
    user: 'The database took too long, so nothing was changed. Try again in a moment.',
    operator: ['The database takes too long.', 'Check its load, and the sessions that hold locks.'],
  },
  /** The statement conflicted with another one and was rolled back. */
  conflict: {
    user: 'Another change was made at the same moment, so nothing was changed. Try again.',
    operator: ['The database rolled the statement back.', 'Try again.'],
  },
  /** The connection was lost during a commit, and the server could not be asked for the outcome. */
  unknown: {
    user: 'The database stopped responding while this was being stored, so it may be stored or not. Reload the page to see.',
    operator: ['The database stopped responding during a commit.', 'Check that it runs.'],
  },
} as const satisfies Readonly<Record<string, Texts>>

export type StorageProblem = keyof typeof problems

const lasting: ReadonlySet<StorageProblem> = new Set(['full', 'unwritable', 'read_only', 'moved', 'damaged'])

/** True for problems that end without an operator freeing space or repairing the disk. */
export function isTemporary(problem: StorageProblem | null): boolean {
  return problem !== null && !lasting.has(problem)
}

/** The codes of SQLite, of PostgreSQL and of the system, which have no code in common. */
const codes: readonly (readonly [codes: RegExp, problem: StorageProblem])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_FULL$/, 'full'],
  [/^SQLITE_READONLY_DBMOVED$/, 'moved'],
  [/^SQLITE_READONLY/, 'read_only'],
  [/^SQLITE_(IOERR|CANTOPEN|PERM)/, 'unwritable'],
  [/^SQLITE_(CORRUPT|NOTADB)|^XX00[12]$/, 'damaged'],
  [/^53100$/, 'full'],
  // Of the folder of files.
  [/^E(NOSPC|DQUOT)$/, 'full'],
  [/^E(IO|ROFS)$/, 'unwritable'],
  [/^58030$/, 'unwritable'],
  [/^25006$/, 'read_only'],
  [/^53[234]00$/, 'busy'],
  [/^(57014|55P03|25P0[34])$/, 'timeout'],
  // A statement outside a transaction is repeated after these for some seconds (`postgres-pool.ts`).
  [/^(40001|40P01)$/, 'conflict'],
  [/^08007$/, 'unknown'],
  [/^(08...|57P0[1-5])$/, 'unreachable'],
  [/^(28...|42501)$/, 'refused'],
  [/^3D000$/, 'missing'],
]

/** Whether Node refused the certificate, or TLS failed. */
function isTlsFailure(error: Error): boolean {
  return /CERT|SIGNATURE|SELF_SIGNED|^ERR_(TLS|SSL)|UNABLE_TO_|^UNSPECIFIED$/.test(errorCode(error))
}

/** Why the database could not execute a correct statement. Null for every other error. */
export function findStorageProblem(error: unknown): StorageProblem | null {
  if (error instanceof Error && error.cause instanceof Error) {
    // The driver gives this error no code.
    if (error.cause.message === 'The server does not support SSL connections') return 'unencrypted'
    if (isTlsFailure(error.cause)) return 'untrusted'
  }
  const code = errorCode(error)
  return codes.find(([pattern]) => pattern.test(code))?.[1] ?? null
}

/** The error that is sent to the user when the database failed. Null when it did not cause `error`. */
export function toStorageError(error: unknown): AppError | null {
  const problem = findStorageProblem(error)
  return problem === null ? null : createStorageError(problem, problems[problem].user, error)
}

/** The error for an operator whose database failed: what is wrong, and what to do. */
export function toOperatorError(error: unknown): AppError {
  const problem = findStorageProblem(error) ?? 'unreachable'
  return createStorageError(problem, problems[problem].operator.join(' '), error)
}

/** What to do about an error of the database. Null when the database did not cause it. */
export function adviseOperator(error: unknown): string | null {
  const exhausted = findExhausted(error)
  if (exhausted !== undefined) return exhausted.operator
  const problem = findStorageProblem(error)
  return problem === null ? null : problems[problem].operator[1]
}

/** The code `storage_full` also stands for a database that cannot be written. */
function createStorageError(problem: StorageProblem, message: string, cause: unknown): AppError {
  return new AppError(isTemporary(problem) ? 'unavailable' : 'storage_full', message, { cause })
}
