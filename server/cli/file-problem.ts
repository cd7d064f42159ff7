import { errorCode } from '../lib/describe-error.ts'

const problems: Readonly<Record<string, string>> = {
  EEXIST: 'it exists already. Choose another name, or remove it',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder, and a file is needed',
  EACCES: 'this user does not have the permission',
  EPERM: 'this user does not have the permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it is too large for this file system',
  EIO: 'the disk has failed',
  EMFILE: 'this process may not open more files (ulimit -n)',
  ENFILE: 'this machine may not open more files (fs.file-max)',
}

/**
 * Why a file cannot be read or written, as the end of a sentence. Undefined for all other errors. Problems of this
 * kind are the operator's to solve, so commands print them without a stack.
 */
export function findFileProblem(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error ? problems[errorCode(error)] : undefined
}
