import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import { hashText, listPromptTexts, maxPromptTexts, savePromptTexts } from './sent-prompt-store.ts'

const minute = 60_000

const byHash = (...texts: readonly string[]) => new Map(texts.map((text) => [hashText(text), text]))

describe.each(engines)('the stored texts of prompts on %s', (engine) => {
  it('keep those of the same prompt, however many others were used since', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const user = await addUser(db)
    await savePromptTexts(db, user, { texts: byHash('instructions'), now: 0 })
    for (let index = 1; index < maxPromptTexts; index++) {
      await savePromptTexts(db, user, { texts: byHash(`other ${index}`), now: index })
    }
    // The use of the instructions is not stored, because they were used less than an hour ago.
    await savePromptTexts(db, user, { texts: byHash('instructions', 'tools'), now: 30 * minute })
    const hashes = ['instructions', 'tools', 'other 1', 'other 2'].map(hashText)
    const kept = await listPromptTexts(db, user, hashes)
    const texts = await db.selectFrom('prompt_texts').select('hash').execute()
    await database.close()
    expect([...kept.values()].toSorted()).toEqual(['instructions', 'other 2', 'tools'])
    expect(texts).toHaveLength(maxPromptTexts)
  })
})
