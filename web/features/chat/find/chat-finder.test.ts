import { expect, test, vi } from 'vitest'
import { makeMessage, makeReply } from '../../../testing/wire-objects.ts'
import { drawnText } from '../../../ui/markdown/drawn-text.ts'
import { groupMessages } from '../list/message-tree.ts'
import { ChatFinder } from './chat-finder.ts'
import { patternsOfQuery } from './find-text.ts'

const path = [
  makeMessage('u1', null, { content: 'a Needle' }),
  makeReply('a1', 'u1', { content: 'A nee**dle**, and `needle`.', tool: 'add', server: 'Sums' }),
  makeReply('a2', 'a1', { content: 'The last needle, and a [link](https://example.org/needle).' }),
  makeMessage('u2', 'a2', { content: 'nothing' }),
  makeReply('a3', 'u2', { content: 'needle' }),
]

/** A busy machine may need longer than a second. */
const eventually = (check: () => void) => vi.waitFor(check)

async function find(query: string, from?: string) {
  const finder = new ChatFinder(async () => drawnText)
  finder.setTurns(groupMessages(path))
  finder.find(patternsOfQuery(query), from)
  const read = () => {
    const { count, current, position } = finder.state.get()
    return current === undefined ? `${count}` : `${position} of ${count}: ${current.turnId} ${current.index}`
  }
  await eventually(() => expect(finder.state.get().isComplete).toBe(true))
  return { finder, read }
}

test('counts matches in texts as they are drawn, and goes round through all of them', async () => {
  const { finder, read } = await find('NEEDLE')
  expect(read()).toBe('1 of 5: u1 0')
  for (const next of ['2 of 5: a1 0', '3 of 5: a1 1', '4 of 5: a1 2', '5 of 5: a3 0', '1 of 5: u1 0']) {
    await finder.step(1)
    expect(read()).toBe(next)
  }
  await finder.step(-1)
  expect(read()).toBe('5 of 5: a3 0')
})

test('begins at the turn in view, after the last one again at the first', async () => {
  expect((await find('needle', 'u2')).read()).toBe('5 of 5: a3 0')
  expect((await find('a needle', 'a3')).read()).toBe('1 of 2: u1 0')
  expect((await find('no such text')).read()).toBe('0')
})

test('goes on with what is added, and forgets a match that is gone', async () => {
  const { finder, read } = await find('needle', 'a3')
  const longer = [...path.slice(0, 4), makeReply('a3', 'u2', { content: 'needle and needle' })]
  finder.setTurns(groupMessages(longer))
  await eventually(() => expect(read()).toBe('5 of 6: a3 0'))
  finder.setTurns(groupMessages(path.slice(0, 2)))
  await eventually(() => expect(read()).toBe('3'))
  await finder.step(1)
  expect(read()).toBe('1 of 3: u1 0')
})

test('answers the user between slices of a long chat, and a new search ends the former one', async () => {
  const turns = groupMessages(
    Array.from({ length: 300 }, (_, index) => makeMessage(`u${index}`, null, { content: `needle ${index}` })),
  )
  const finder = new ChatFinder(async () => (text) => text)
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1))
  finder.setTurns(turns)
  finder.find(patternsOfQuery('needle'))
  await eventually(() => expect(finder.state.get()).toMatchObject({ isComplete: false, position: undefined }))
  await eventually(() => expect(finder.state.get().count).toBeGreaterThan(0))
  expect(finder.state.get().count).toBeLessThan(300)
  finder.find(patternsOfQuery('needle 29'))
  await eventually(() =>
    expect(finder.state.get()).toMatchObject({ isComplete: true, count: 11, position: 1 }),
  )
})
