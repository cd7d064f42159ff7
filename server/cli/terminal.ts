import { createInterface } from 'node:readline/promises'

/** What a command prints at its end. */
export interface Result {
  /** For people, without a newline at the end. */
  readonly text: string
  /** For programs: one JSON value, printed on one line with `--json`. */
  readonly data: unknown
}

/** The input and output of a command. */
export interface Terminal {
  /** Prints the result on standard output. */
  print(result: Result): void
  /** Reports how far long work is, on standard error. Prints nothing with `--json`. */
  progress(text: string): void
  /**
   * Asks before data is destroyed. Returns at once with `--yes`.
   * @throws CommandError when the user declines, or when there is no terminal to ask in
   */
  confirm(question: string): Promise<void>
}

/** An error that a command expects. It is printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** 1 when the command failed, 2 when it was called in a wrong way. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface TerminalOptions {
  /** Prints JSON, and nothing but the result. */
  readonly json?: boolean
  /** Confirms every question. */
  readonly yes?: boolean
}

/** The terminal of this process. `readOptions` returns the options of the command that runs. */
export function openTerminal(readOptions: () => TerminalOptions): Terminal {
  return {
    print: ({ text, data }) =>
      void process.stdout.write(`${readOptions().json === true ? JSON.stringify(data) : text}\n`),
    progress: (text) => {
      if (readOptions().json !== true) process.stderr.write(`${text}\n`)
    },
    confirm: async (question) => {
      if (readOptions().yes === true) return
      if (!process.stdin.isTTY || readOptions().json === true) {
        throw new CommandError(`${question}\nRepeat the command with --yes to do it.`, 2)
      }
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      const answer = await lines.question(`${question} Type yes to continue: `)
      lines.close()
      if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed.')
    },
  }
}
