import { type BrowserContext, expect } from '@playwright/test'

/** Errors in the browser, beyond those that the test itself checks. */
export interface Problems {
  /** Expects a problem that the test provokes on purpose. It must then occur. */
  expect(pattern: RegExp): void
  /**
   * Allows the problems of a server that cannot be reached: which requests are cut then, the page's own too, or whether any
   * is, depends on the moment.
   */
  allowOutage(): void
  /** Allows a problem that what the test does may cause, or not. */
  allow(pattern: RegExp): void
  /** Also collects problems from all pages of this browser context. */
  watch(context: BrowserContext): Promise<void>
  /** Rejects when an unexpected problem occurred, or an expected one did not and does not. */
  check(): Promise<void>
}

const outage =
  /ERR_|UnreachableError|The stream broke|Failed to (fetch|load)|Error (sending message|creating chat)|503/i

/** Collects console errors, uncaught errors and violations of the content security policy. */
export function createProblems(): Problems {
  const seen: string[] = []
  const expected: RegExp[] = []
  const allowed: RegExp[] = []

  async function watch(context: BrowserContext): Promise<void> {
    context.on('console', (message) => {
      if (message.type() === 'error')
        seen.push(`console error at ${message.location().url}: ${message.text()}`)
    })
    context.on('weberror', (problem) => {
      const error = problem.error()
      seen.push(`uncaught error: ${error.stack ?? error.message}`)
    })
    // Chromium logs most violations itself, but not all of them as errors.
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
        console.error(`policy violation: ${violatedDirective} ${blockedURI} ${sample}`)
      })
    })
  }

  const findMissing = () =>
    expected.filter((pattern) => !seen.some((problem) => pattern.test(problem))).map(String)

  async function check(): Promise<void> {
    // The browser reports some of them late.
    await expect.poll(findMissing, 'expected problems that did not occur').toEqual([])
    const unexpected = seen.filter(
      (problem) => ![...expected, ...allowed].some((pattern) => pattern.test(problem)),
    )
    if (unexpected.length > 0)
      throw new Error(`Unexpected problems in the browser:\n${unexpected.join('\n')}`)
  }

  return {
    expect: (pattern) => void expected.push(pattern),
    allowOutage: () => void allowed.push(outage),
    allow: (pattern) => void allowed.push(pattern),
    watch,
    check,
  }
}
