import { toContent } from '@yonder/contract/message-text'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertTexts } from '../../files/file-store.ts'
import type { Taker } from '../../files/plan-files.ts'
import { mediaLimitsOf } from '../../models/media-limits.ts'
import { mediaOf, textOf } from '../../models/model.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { addFile } from '../../testing/factories/files.ts'
import { addUser } from '../../testing/factories/users.ts'
import { buildPrompt, countPrompt, shortenMessage, type PromptMessage } from './build-prompt.ts'
import { planForms, readForms, readTextForms, restoreForms, storeForms } from './file-forms.ts'

const taker: Taker = {
  model: 'm',
  images: true,
  pdf: true,
  contextWindow: 100_000,
  limits: mediaLimitsOf('openai', 'https://api.openai.com/v1'),
}
const empty = { arguments: null, call_state: null, call: null, reasoning: null, server: null }

describe.each(engines)('the files of a path, on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await addUser(database.db, { id: 'ada' })
    await addUser(database.db, { id: 'eve' })
  })
  afterEach(() => database.close())

  const store = async (id: string, fields: object = {}, userId = 'ada') => {
    const { name, type, size } = await addFile(database, { userId }, { id, name: `${id}.png`, ...fields })
    return { id, name, type, size }
  }
  const storeText = async (id: string, ...texts: readonly string[]) => {
    const ref = await store(id, { name: `${id}.txt`, type: 'text/plain', unit: 'line', total: texts.length })
    const rows = texts.map((content, number) => ({ file_id: id, number, content, tokens: 10, units: 1 }))
    await insertTexts(database.db, rows)
    return ref
  }
  const message = (id: string, text: string, ...files: Parameters<typeof toContent>[1]): PromptMessage => ({
    ...empty,
    id,
    role: 'user',
    content: toContent(text, files),
  })
  const plan = (path: readonly PromptMessage[], fields: Partial<Taker> = {}) =>
    planForms(database.db, { id: 'ada' }, 'chat', path, { ...taker, ...fields })

  it('are given as they are, as text or as names, before the words of the user', async () => {
    const path = await plan([
      message('q', 'Compare them.', await store('roof'), await storeText('notes', 'One.\n', 'Two.\n')),
    ])
    const [built] = buildPrompt(await readForms(database, path))
    expect(built?.parts.map(({ type }) => type)).toEqual(['text', 'text', 'media', 'text'])
    expect(mediaOf(built!)).toEqual([
      {
        type: 'media',
        name: 'roof.png',
        mediaType: 'image/png',
        data: Buffer.from('cat').toString('base64'),
      },
    ])
    const text = textOf(built!)
    expect(text).toContain('[The attached picture "roof.png"]')
    expect(text).toMatch(
      /The text of the attached file "notes.txt" is between the two marks.*\n\[(\S+)\]\nOne\.\nTwo\.\n\n\[\1\]/,
    )
    expect(text.endsWith('Compare them.')).toBe(true)
  })

  it('of others are not read, and those that are gone are named', async () => {
    const [foreign, gone] = [await store('hers', {}, 'eve'), await store('gone')]
    await database.bytes.delete('gone')
    const [built] = buildPrompt(await readForms(database, await plan([message('q', 'See', foreign, gone)])))
    expect(mediaOf(built!)).toEqual([])
    expect(textOf(built!)).toContain('"hers.png"')
    expect(textOf(built!)).toMatch(/"gone.png" .* It was deleted\./)
  })

  it('count as what they add to the prompt, and only as names when the conversation is long', async () => {
    const plain = message('q', 'See', await storeText('long', 'a', 'b', 'c'))
    const [planned] = await plan([plain])
    const tokens = (one: PromptMessage) => countPrompt(one, (text) => text.length)
    expect(tokens(planned!) - tokens(plain)).toBe(70)
    const [shortened] = await readForms(database, [shortenMessage(planned!)])
    expect(textOf(buildPrompt([shortened!])[0]!)).toMatch(/left out, because the conversation is long/)
  })

  it('are sent again as far as the provider takes them in one request, the newest first', async () => {
    const files = []
    for (let index = 0; index < 8; index++) files.push(await store(`p${index}`))
    const limits = { ...taker.limits, pictures: 5 }
    const path = await plan(
      [message('old', 'A', ...files.slice(0, 4)), message('new', 'B', ...files.slice(4))],
      { limits },
    )
    const names = buildPrompt(await readForms(database, path)).flatMap((built) =>
      mediaOf(built).map(({ name }) => name),
    )
    expect(names).toHaveLength(5)
    expect(names.slice(-4)).toEqual(['p4.png', 'p5.png', 'p6.png', 'p7.png'])
    expect(textOf(buildPrompt(path)[0]!)).toContain('Newer files of this conversation take its place.')
  })

  it('are shown as they were given, whatever the bot takes now', async () => {
    const path = [message('q', 'See', await store('roof'), await storeText('notes', 'One.\n', 'Two.\n'))]
    const stored = storeForms(await plan(path))
    expect(JSON.stringify(stored)).not.toContain('One.')
    const shown = buildPrompt(
      await readTextForms(database.db, restoreForms(path, JSON.parse(JSON.stringify(stored)))),
    )
    expect(textOf(shown[0]!)).toBe(textOf(buildPrompt(await readForms(database, await plan(path)))[0]!))
    expect(storeForms([message('q', 'no file')])).toBeUndefined()
  })
})
