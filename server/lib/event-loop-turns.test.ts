import { expect, it } from 'vitest'
import { EventLoopTurns } from './event-loop-turns.ts'

it('lets one caller continue in each turn of the event loop, in order', async () => {
  let turn = 0
  let counting: NodeJS.Immediate
  const count = (): void => {
    turn++
    counting = setImmediate(count)
  }
  counting = setImmediate(count)
  const turns = new EventLoopTurns()
  const continued: { readonly caller: string; readonly turn: number }[] = []
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (caller) => {
      await turns.next()
      continued.push({ caller, turn })
    }),
  )
  clearImmediate(counting)
  expect(continued.map(({ caller }) => caller)).toEqual(['a', 'b', 'c', 'd'])
  expect(new Set(continued.map((each) => each.turn)).size).toBe(4)
})
