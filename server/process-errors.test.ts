import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { handleProcessErrors } from './process-errors.ts'

function open(report = vi.fn()) {
  const events = new EventEmitter()
  const stop = vi.fn()
  const clock = { time: 0 }
  handleProcessErrors(events, { report, stop, now: () => clock.time })
  return { events, report, stop, clock }
}

it('logs an exception and a rejection that nothing handles, and lets the process go on', () => {
  const { events, report, stop } = open()
  const [exception, reason] = [new Error('thrown'), new Error('rejected')]
  events.emit('uncaughtException', exception)
  events.emit('unhandledRejection', reason)
  expect(report.mock.calls.map(([error]) => error as unknown)).toEqual([exception, reason])
  expect(stop).not.toHaveBeenCalled()
})

it('stops the process when six exceptions are not caught within a minute', () => {
  const { events, report, stop, clock } = open()
  for (let count = 0; count < 30; count++) {
    clock.time += 13_000
    events.emit('uncaughtException', new Error('rare'))
    events.emit('unhandledRejection', new Error('often'))
  }
  expect(stop).not.toHaveBeenCalled()
  clock.time += 60_000
  for (let count = 0; count < 5; count++) events.emit('uncaughtException', new Error('often'))
  expect(stop).not.toHaveBeenCalled()
  events.emit('uncaughtException', new Error('often'))
  expect(stop).toHaveBeenCalledTimes(1)
  expect(report).toHaveBeenLastCalledWith(expect.any(Error), expect.stringContaining('the process stops'))
})

it('survives a log that cannot be written', () => {
  const { events } = open(
    vi.fn(() => {
      throw new Error('no space left')
    }),
  )
  expect(() => events.emit('uncaughtException', new Error('first'))).not.toThrow()
})
