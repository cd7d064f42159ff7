import { vi } from 'vitest'

type Level = 'error' | 'warn'

interface ConsoleLine {
  readonly level: Level
  readonly text: string
}

let lines: ConsoleLine[] = []
let expected: { readonly level: Level; readonly pattern: RegExp }[] = []
let restore: (() => void)[] = []

/** Declares that the current test logs a line that matches `pattern`. A line without a declared pattern fails it. */
export function expectConsole(level: Level, pattern: RegExp): void {
  expected.push({ level, pattern })
}

/** Starts collecting what the page logs as an error or a warning. */
export function watchConsole(): void {
  lines = []
  expected = []
  restore = (['error', 'warn'] as const).map((level) => {
    const spy = vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push({ level, text: parts.map(asText).join(' ') })
    })
    return () => spy.mockRestore()
  })
}

/** Throws when a line was logged that the test did not expect, or an expected one is missing. */
export function checkConsole(): void {
  for (const undo of restore) undo()
  const unexpected = lines.filter(
    (line) => !expected.some(({ level, pattern }) => level === line.level && pattern.test(line.text)),
  )
  if (unexpected.length > 0)
    throw new Error(
      `Unexpected console output:\n${unexpected.map(({ level, text }) => `${level}: ${text}`).join('\n')}`,
    )
  const missing = expected.filter(
    ({ level, pattern }) => !lines.some((line) => line.level === level && pattern.test(line.text)),
  )
  if (missing.length > 0)
    throw new Error(
      `Expected console output is missing: ${missing.map(({ pattern }) => pattern.source).join(', ')}`,
    )
}

function asText(part: unknown): string {
  return part instanceof Error ? (part.stack ?? part.message) : String(part)
}
