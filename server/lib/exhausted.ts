import { listCauses } from './app-error.ts'
import { errorCode } from './describe-error.ts'

const tooManyOpen =
  'This server has too many open connections and files at the moment, so nothing was done. Try again in a moment. If this continues, tell its operator.'
const noMemory =
  'The machine of this server has no free memory for a connection, so nothing was done. Try again in a moment. If this continues, tell its operator.'

/** What is used up, by the code of the system's error: what users read, and what the operator does about it. */
const exhausted: Readonly<Record<string, { readonly user: string; readonly operator: string }>> = {
  EMFILE: {
    user: tooManyOpen,
    operator:
      'This process has no free file descriptor. Raise its limit: LimitNOFILE= of systemd, ulimits of a container, or ulimit -n.',
  },
  ENFILE: {
    user: tooManyOpen,
    operator: 'This machine has no free file descriptor. Raise fs.file-max, or end other programs.',
  },
  ENOMEM: {
    user: noMemory,
    operator: 'The machine has no free memory. Give it more, or end other programs.',
  },
  ENOBUFS: {
    user: noMemory,
    operator: 'The machine has no free memory for connections. Give it more, or end other programs.',
  },
}

/** What this machine has run out of, when that caused an error; undefined for every other error. */
export function findExhausted(error: unknown): (typeof exhausted)[string] | undefined {
  for (const cause of listCauses(error)) {
    const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
    const found = exhausted[errorCode(inner)]
    if (found !== undefined) return found
  }
  return undefined
}
