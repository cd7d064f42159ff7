import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { strictProviders, type StrictProvider } from '../testing/models/strict/providers.ts'
import { randomHistories } from '../testing/models/strict/random-history.ts'
import { sendHistory, sourceOf, unexpected } from '../testing/models/strict/send-history.ts'
import { soakRuns } from '../testing/models/strict/soak-runs.ts'

/** `npm run soak` runs many more, with a new seed. */
const runs = soakRuns === undefined ? { numRuns: 25, seed: 31 } : { numRuns: soakRuns }

const requests = fc.record({
  history: randomHistories(sourceOf),
  hasTools: fc.oneof(
    { weight: 4, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  hasInstructions: fc.boolean(),
  maxTokens: fc.constantFrom(null, 4_000),
  options: fc.record(
    {
      temperature: fc.constant(0.5),
      topP: fc.constant(0.5),
      reasoningEffort: fc.constantFrom('minimal' as const, 'high' as const),
    },
    { requiredKeys: [] },
  ),
})

type RandomRequest = typeof requests extends fc.Arbitrary<infer Value> ? Value : never

function send(provider: StrictProvider, { history, hasInstructions, ...settings }: RandomRequest) {
  return sendHistory(provider, history, {
    ...settings,
    ...(hasInstructions && { instructions: 'Be brief.' }),
  })
}

describe.each(strictProviders)('$name', (provider) => {
  it('accepts every history that chats can have', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        const { end, refusals, bodies, media } = await send(provider, random)
        expect(unexpected(refusals)).toEqual([])
        expect(end).toEqual({ type: 'finish', reason: 'stop' })
        // Each picture and document is sent as often as the history has it.
        for (const { data } of media)
          expect(bodies.at(-1)?.split(data)).toHaveLength(
            media.filter((other) => other.data === data).length + 1,
          )
      }),
      runs,
    )
  })

  it('accepts them at an address and with a name that say nothing about it', async () => {
    const hidden = { ...provider, host: 'models.internal', model: 'team-model' }
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        expect((await send(hidden, random)).end).toEqual({ type: 'finish', reason: 'stop' })
      }),
      runs,
    )
  })

  it('gets the same bytes for the same history', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        const [first, second] = [await send(provider, random), await send(provider, random)]
        expect(first.bodies).toEqual(second.bodies)
      }),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 5) },
    )
  })
})
