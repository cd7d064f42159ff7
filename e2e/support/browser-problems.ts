import type { BrowserContext } from '@playwright/test'

/** Errors in the browser, beyond those that the test itself checks. */
export interface Problems {
  /** Expects a problem that the test provokes on purpose. It must then occur. */
  expect(pattern: RegExp): void
  /** Allows a problem that what the test does may cause, or not. */
  allow(pattern: RegExp): void
  /** Also collects problems from all pages of this browser context. */
  watch(context: BrowserContext): Promise<void>
  /** Throws when an unexpected problem occurred, or an expected one did not. */
  check(): void
}

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

  function check(): void {
    const unexpected = seen.filter(
      (problem) => ![...expected, ...allowed].some((pattern) => pattern.test(problem)),
    )
    if (unexpected.length > 0)
      throw new Error(`Unexpected problems in the browser:\n${unexpected.join('\n')}`)
    const missing = expected.filter((pattern) => !seen.some((problem) => pattern.test(problem)))
    if (missing.length > 0)
      throw new Error(`Expected problems that did not occur: ${missing.map(String).join(', ')}`)
  }

  return {
    expect: (pattern) => void expected.push(pattern),
    allow: (pattern) => void allowed.push(pattern),
    watch,
    check,
  }
}
