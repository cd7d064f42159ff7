import { describeError } from './lib/describe-error.ts'
import { fitLine } from './lib/fit-line.ts'

export type LogError = (error: unknown, message: string) => void

/** The events of `process` that are handled here, so that tests can emit them. */
export interface ProcessEvents {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown
}

/** Uncaught exceptions that are tolerated within `exceptionWindowMs`. One more stops the process. */
const maxExceptions = 5
const exceptionWindowMs = 60_000

/** Logs the errors that no request and no domain logs. Until there is a log, they are written to stderr. */
export class ErrorReports {
  #log: LogError = (error, message) => {
    // The form of a line of the log, in which 50 is the level `error`.
    const line = JSON.stringify({ level: 50, msg: message, err: describeError(error) })
    process.stderr.write(fitLine(`${line}\n`))
  }

  /** From now on, errors go to this log. */
  reportTo(log: LogError): void {
    this.#log = log
  }

  readonly report: LogError = (error, message) => this.#log(error, message)
}

/**
 * The last resort for errors that nothing else handles. They are logged, and the process continues, because
 * one broken socket or request must not end the streams of all users. When exceptions repeat, the state of the process
 * cannot be trusted, so `stop` is called. It must store the text of all replies before it ends the process.
 */
export function handleProcessErrors(
  events: ProcessEvents,
  { report, stop, now = Date.now }: { readonly report: LogError; stop(): void; now?(): number },
): void {
  let times: number[] = []
  // A log that cannot be written must not cause the next uncaught exception.
  const log: LogError = (error, message) => {
    try {
      report(error, message)
    } catch {
      // Nothing else can report it.
    }
  }
  events.on('unhandledRejection', (reason) => log(reason, 'a promise was rejected and not handled'))
  events.on('uncaughtException', (error) => {
    log(error, 'an exception was not caught')
    times = [...times.filter((time) => now() - time < exceptionWindowMs), now()]
    if (times.length <= maxExceptions) return
    // The next exception must not call `stop` again, because a second call does not wait for the first.
    times = []
    log(error, 'too many exceptions were not caught, so the process stops')
    stop()
  })
}
