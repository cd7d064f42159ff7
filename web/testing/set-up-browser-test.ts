import '@testing-library/jest-dom/vitest'
import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'
import { checkConsole, watchConsole } from './expect-console.ts'

beforeEach(() => {
  watchConsole()
})

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
  checkConsole()
})
