import '@testing-library/jest-dom/vitest'
import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'
import { checkConsole, watchConsole } from './expect-console.ts'
import { forgetStreams } from './scripted-api.ts'

beforeEach(() => {
  watchConsole()
})

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
  forgetStreams()
  checkConsole()
})
