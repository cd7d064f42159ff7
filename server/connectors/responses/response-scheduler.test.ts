import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ResponseScheduler } from './response-scheduler.ts'

/** A clock that stands still, except for pauses and `advance`. */
function manualClock() {
  let time = 0
  const pauses: number[] = []
  return {
    pauses,
    advance: (milliseconds: number) => {
      time += milliseconds
    },
    now: () => time,
    pause: (milliseconds: number) => {
      pauses.push(milliseconds)
      time += milliseconds
      return Promise.resolve()
    },
  }
}

it('gives users turns, however many pieces one of them reads', async () => {
  const turns = new ResponseScheduler(manualClock())
  const order: string[] = []
  const read = async (user: string, piece: number) => {
    await turns.next(user)
    order.push(`${user}${piece}`)
  }
  await Promise.all([read('a', 1), read('a', 2), read('a', 3), read('b', 1), read('b', 2)])
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

it('pauses three times as long as it reads, whoever reads', async () => {
  const clock = manualClock()
  const turns = new ResponseScheduler(clock)
  for (let piece = 0; piece < 20; piece++) {
    await turns.next(`user ${piece % 3}`)
    clock.advance(5)
  }
  const paused = clock.pauses.reduce((sum, each) => sum + each, 0)
  // The last piece is not followed by a pause, and 2 ms of reading need none.
  expect(paused).toBe(19 * 15 - 8)
})

it('does not pause a reading that ends within its share', async () => {
  const clock = manualClock()
  const turns = new ResponseScheduler(clock)
  for (let piece = 0; piece < 10; piece++) {
    await turns.next('user')
    clock.advance(1)
    await setImmediate()
    clock.advance(30)
  }
  expect(clock.pauses).toEqual([])
})

it('counts at most 20 ms for one turn, because other requests may have run in it', async () => {
  const clock = manualClock()
  const turns = new ResponseScheduler(clock)
  await turns.next('user')
  clock.advance(10_000)
  await turns.next('user')
  expect(clock.pauses).toEqual([])
})
