import { describe, expect, it, vi } from 'vitest'
import { engines, openTestDatabase } from './testing/database/test-database.ts'
import { watchClock } from './watch-clock.ts'

describe.each(engines)('the clock of the database on %s', (engine) => {
  it('is compared with that of this machine', async () => {
    const database = await openTestDatabase(engine)
    const warn = vi.fn()
    await watchClock(database, warn, Date.now).checked
    expect(warn).not.toHaveBeenCalled()
    await watchClock(database, warn, () => Date.now() - 5_000).checked
    expect(warn.mock.calls).toEqual(
      engine === 'sqlite' ? [] : [[expect.stringMatching(/database differ by [45] s\. Set the clock/)]],
    )
    await database.close()
  })
})
