import { AppError } from '../../lib/app-error.ts'

/** The error that tells the operator why a backup or a restore was refused. */
export const refuse = (reason: string, cause?: unknown): AppError =>
  new AppError('conflict', reason, { cause })
