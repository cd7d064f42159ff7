import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** What a command prints at its end. */
export interface Result {
  /** For users, without a newline at the end. */
  readonly text: string
  /** For programs: one JSON value, printed on one line with `--json`. */
  readonly data: unknown
}

/** The input and output of a command. */
export type Terminal = ReturnType<typeof openTerminal>

/** The streams of a command: those of the process, or of a test. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** An error that a command expects. It is printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** 2 when the command needs `--yes`, else 1. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface TerminalOptions {
  /** Prints JSON, and nothing but the result or the error. */
  readonly json?: boolean
  /** Confirms every question. */
  readonly yes?: boolean
}

/** Milliseconds between two lines of progress when they are not rewritten, as in a log. */
const progressIntervalMs = 5_000

/** Erases the line that the cursor is in. */
const eraseLine = '\r\u001B[2K'

/** `readOptions` returns the options of the command that runs. */
export function openTerminal({ stdin, stdout, stderr }: Streams, readOptions: () => TerminalOptions) {
  let progressAt = -Infinity
  let isProgressShown = false
  const eraseProgress = (): void => {
    if (isProgressShown) stderr.write(eraseLine)
    isProgressShown = false
  }
  const isJson = (): boolean => readOptions().json === true

  return {
    /** Prints the result on standard output. */
    print({ text, data }: Result): void {
      eraseProgress()
      stdout.write(`${isJson() ? JSON.stringify(data) : text}\n`)
    },
    /**
     * Reports the progress of long work on standard error: on a terminal in one line that is rewritten, elsewhere in a
     * line every few seconds. Prints nothing with `--json`.
     */
    progress(text: string): void {
      if (isJson()) return
      if (stderr.isTTY === true) {
        stderr.write(`${eraseLine}${text}`)
        isProgressShown = true
      } else if (performance.now() - progressAt >= progressIntervalMs) {
        progressAt = performance.now()
        stderr.write(`${text}\n`)
      }
    },
    /** Prints a line on standard error that is not the result. Prints nothing with `--json`. */
    warn(text: string): void {
      if (isJson()) return
      eraseProgress()
      stderr.write(`${text}\n`)
    },
    /**
     * Asks before data is destroyed. Returns at once with `--yes`.
     * @throws CommandError when the user declines or presses Ctrl+C, or when it cannot ask: without a terminal, or with
     *   `--json`
     */
    async confirm(question: string): Promise<void> {
      eraseProgress()
      if (readOptions().yes === true) return
      if (stdin.isTTY !== true || isJson()) {
        throw new CommandError(`${question}\nRepeat the command with --yes to do it.`, 2)
      }
      const answer = await ask({ stdin, stderr }, `${question} Type yes to continue: `)
      if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed.')
    },
    /** Prints an error: with `--json` the message as a JSON line on standard output, else `text` on standard error. */
    fail(message: string, text: string): void {
      eraseProgress()
      if (isJson()) stdout.write(`${JSON.stringify({ error: { message } })}\n`)
      else if (text !== '') stderr.write(`${text}\n`)
    },
  }
}

/** Returns the typed line; an empty text after Ctrl+C, and when the input ends. */
async function ask({ stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  const closed = once(lines, 'close').then(() => '')
  lines.on('SIGINT', () => lines.close())
  // Some versions of Node reject when the input ends, and others never settle.
  const answered = lines.question(question).catch(() => '')
  const answer = await Promise.race([answered, closed])
  if (answer === '') stderr.write('\n')
  lines.close()
  return answer
}
