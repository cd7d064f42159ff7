import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the bundled programs that tests start (`scripts/provide-test-programs.mjs`). */
    programs: string
  }
}
