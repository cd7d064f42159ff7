import { join } from 'node:path'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the bundled programs that tests start (`scripts/provide-test-programs.mjs`). */
    programs: string
  }
}

/** The file of a program that a test starts in a process of its own. */
export function programPath(name: 'main' | 'run-chat-node'): string {
  return join(inject('programs'), `${name}.js`)
}
