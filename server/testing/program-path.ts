import { join } from 'node:path'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the bundled programs that tests start (`scripts/provide-test-programs.mjs`). */
    programs: string
  }
}

/** Returns the file of a program that a test starts as a process. */
export function programPath(name: 'main' | 'run-chat-node'): string {
  return join(inject('programs'), `${name}.js`)
}
