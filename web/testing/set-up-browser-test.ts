import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, inject } from 'vitest'
import { checkConsole, watchConsole } from './expect-console.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly maxWaitMs: number
  }
}

configure({ asyncUtilTimeout: inject('maxWaitMs') })

beforeEach(() => {
  watchConsole()
})

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
  checkConsole()
})
