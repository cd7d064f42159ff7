import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { describe, expect, it } from 'vitest'
import { advanceRun } from './advance-run.ts'

const run: RunState = { seq: 3, status: 'running', messages: [] }
const event = (type: string, seq: number) => ({ type, seq }) as RunEvent

describe('an event that a newer server sends', () => {
  it('changes nothing but the number of the last one', () => {
    expect(advanceRun(run, event('hologram', 4))).toEqual({ ...run, seq: 4 })
    expect(advanceRun(run, event('toString', 4))).toEqual({ ...run, seq: 4 })
  })

  it('is not taken twice', () => {
    expect(advanceRun(run, event('hologram', 3))).toBe(run)
  })
})
