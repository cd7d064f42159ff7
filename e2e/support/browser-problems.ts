import type { BrowserContext } from '@playwright/test'

/** Problems in the pages of a test that its expectations do not cover. */
export interface Problems {
  /** Announces a problem that the test provokes on purpose; it must then occur. */
  expect(pattern: RegExp): void
  /** Collects from all pages of another context too. */
  watch(context: BrowserContext): Promise<void>
  /** Throws when an unannounced problem occurred, or an announced one did not. */
  check(): void
}

/** Collects console errors, uncaught errors and violations of the content security policy. */
export function createProblems(): Problems {
  const seen: string[] = []
  const expected: RegExp[] = []

  async function watch(context: BrowserContext): Promise<void> {
    context.on('console', (message) => {
      if (message.type() === 'error')
        seen.push(`console error at ${message.location().url}: ${message.text()}`)
    })
    context.on('weberror', (problem) => {
      const error = problem.error()
      seen.push(`uncaught error: ${error.stack ?? error.message}`)
    })
    // Chromium logs most violations itself, but not each of them as an error.
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
        console.error(`policy violation: ${violatedDirective} ${blockedURI} ${sample}`)
      })
    })
  }

  function check(): void {
    const surprises = seen.filter((problem) => !expected.some((pattern) => pattern.test(problem)))
    if (surprises.length > 0) throw new Error(`Problems in the browser:\n${surprises.join('\n')}`)
    const missing = expected.filter((pattern) => !seen.some((problem) => pattern.test(problem)))
    if (missing.length > 0) throw new Error(`Announced, but did not occur: ${missing.map(String).join(', ')}`)
  }

  return { expect: (pattern) => void expected.push(pattern), watch, check }
}
