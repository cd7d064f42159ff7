import { inflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { writeMessage } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, lastTurn, test as scripted } from './support/tools-fixtures.ts'

const bar = (page: Page) => page.getByRole('search', { name: 'Find in this chat' })
const field = (page: Page) => bar(page).getByRole('textbox')
const count = (page: Page) => bar(page).getByRole('status')

/** The text of the match that is shown, and whether it is in view below the header. */
const shownMatch = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get('found-current') ?? []
    if (!(range instanceof Range)) return undefined
    const { top, bottom } = range.getBoundingClientRect()
    const edge = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
    const turn = range.startContainer.parentElement?.closest('article')
    return { text: range.toString(), isInView: top >= edge && bottom <= innerHeight * 0.85, turn: turn?.id }
  })

const longText = (end: string) =>
  `${Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n')}\n${end}`

const share = async (page: Page, id: string, last: number) => {
  const { shareId } = await callApi<{ shareId: string }>(page, 'POST', `/api/share/${id}`, {
    messageId: `${id}_m${last}`,
  })
  return `/share/${shareId}`
}

for (const { look, viewport, colorScheme } of looks)
  test(`with the keyboard alone, a user finds a word in every message of a long chat, whatever its case, accents and marks: ${look}`, async ({
    page,
    user,
    product,
    axe,
  }) => {
    const texts = new Map([
      [4, 'The second **arch**ive is here, and [its link](https://example.org/archive) is not.'],
      [201, longText('The ARCHÍVE of the end.')],
      [398, '```sh\ntar --create archive\n```'],
    ])
    const id = await writeLongChat(
      product.dataDir,
      user.email,
      400,
      (index) => texts.get(index) ?? `Text ${index}.`,
    )
    await setLook(page, { viewport, colorScheme })
    await page.goto(`/chat/${id}`)
    await expect(lastTurn(page)).toBeInViewport()
    await page.evaluate(() =>
      addEventListener('keydown', ({ key, defaultPrevented }) => {
        if (key === 'f') document.body.dataset['keysOfBrowser'] = String(!defaultPrevented)
      }),
    )
    await page.keyboard.press('Control+f')
    await expect(field(page)).toBeFocused()
    await expect(page.locator('body')).toHaveAttribute('data-keys-of-browser', 'false')
    await page.keyboard.type('archive')
    await expect(count(page)).toHaveText('3 of 3')
    await expect
      .poll(() => shownMatch(page))
      .toEqual({ text: 'archive', isInView: true, turn: `message-${id}_m398` })

    await page.keyboard.press('Enter')
    await expect(count(page)).toHaveText('1 of 3')
    await expect
      .poll(() => shownMatch(page))
      .toEqual({ text: 'archive', isInView: true, turn: `message-${id}_m4` })
    await page.keyboard.press('F3')
    await expect(count(page)).toHaveText('2 of 3')
    // It is at the end of a long message, which is opened.
    const folded = page.locator(`[id="message-${id}_m201"]`)
    await expect(folded.getByRole('button', { name: 'Show less' })).toBeVisible()
    await expect
      .poll(() => shownMatch(page))
      .toEqual({ text: 'ARCHÍVE', isInView: true, turn: `message-${id}_m201` })
    await axe(page)
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('Shift+Enter')
    await expect(count(page)).toHaveText('1 of 3')
    await page.keyboard.press('Control+Shift+g')
    await expect(count(page)).toHaveText('3 of 3')

    await page.keyboard.press('Control+f')
    await expect(page.locator('body')).toHaveAttribute('data-keys-of-browser', 'true')
    await field(page).fill('no such word')
    await expect(count(page)).toHaveText('Not in this chat')
    await field(page).fill('ext 77.')
    await expect(count(page)).toHaveText('1 of 1')
    await page.keyboard.press('Escape')
    await expect(bar(page)).toHaveCount(0)
    await expect(page.locator(`[id="message-${id}_m77"]`)).toBeFocused()

    await page.goto(await share(page, id, 400))
    await page.getByRole('button', { name: 'Find in this chat' }).click()
    await field(page).fill('archive')
    await expect(count(page)).toHaveText('1 of 3')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect(count(page)).toHaveText('3 of 3')
    await expect.poll(async () => (await shownMatch(page))?.isInView).toBe(true)
    await expect(bar(page)).toBeInViewport({ ratio: 1 })
    await axe(page)
  })

scripted(
  'a search goes on while a reply is written, and a print then has the text so far',
  async ({ page, model }) => {
    const gate = model.gate()
    model.when('begin', ['The first needle. ', gate, 'The second needle.', { finish: 'stop' }])
    await writeMessage(page, 'begin')
    await expect(lastTurn(page)).toContainText('The first needle.')
    await page.keyboard.press('Control+f')
    await field(page).fill('needle')
    await expect(count(page)).toHaveText('1 of 1')
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('article')).toHaveCount(2)
    await expect(bar(page)).toBeHidden()
    await page.emulateMedia({ media: 'screen' })
    gate.open()
    await expect(count(page)).toHaveText('1 of 2')
    await expect(lastTurn(page)).toContainText('The first needle. The second needle.')
  },
)

/** Whether each page of a PDF draws text, in its own content or in what that draws. */
function pagesWithText(pdf: Buffer): boolean[] {
  const objects = new Map<string, { readonly head: string; readonly drawn: string }>()
  for (const { 1: id = '', 2: head = '', 0: match, index } of pdf
    .toString('latin1')
    .matchAll(/(\d+) 0 obj\n(.*?)(?:stream\n|endobj)/gs)) {
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0)
    const start = index + match.length
    const isText = head.includes('/FlateDecode') && !/\/(Image|ObjStm|XRef)\b|\/Length1\b/.test(head)
    const drawn = isText ? inflateSync(pdf.subarray(start, start + length)).toString('latin1') : ''
    objects.set(id, { head, drawn })
  }
  const drawsText = (id: string, seen = new Set<string>()): boolean => {
    const object = objects.get(id)
    if (object === undefined || seen.has(id)) return false
    seen.add(id)
    if (/\bT[jJ]\b/.test(object.drawn)) return true
    return [...object.head.matchAll(/\/(?:Contents|X\d+) (\d+) 0 R/g)].some(([, inner]) =>
      drawsText(inner!, seen),
    )
  }
  return [...objects].filter(([, { head }]) => /\/Type \/Page\b/.test(head)).map(([id]) => drawsText(id))
}

test('a print of 300 messages and of its share has their whole text in order, on pages that are all used', async ({
  page,
  user,
  product,
}) => {
  test.slow()
  const textOf = (index: number) => {
    if (index === 41) return longText('m41 ends.')
    const text = `m${index} is **text**.`
    if (index % 30 !== 0) return text
    return `${text}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`js\nconst x = 1 // ${'wide '.repeat(40)}\n\`\`\``
  }
  const id = await writeLongChat(product.dataDir, user.email, 300, textOf)
  const numbers = Array.from({ length: 300 }, (_, index) => `m${index + 1}`)
  await page.goto(`/chat/${id}`)
  await expect(lastTurn(page)).toBeInViewport()
  const sharePath = await share(page, id, 300)
  await setLook(page, { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
  for (const path of [`/chat/${id}`, sharePath]) {
    await page.goto(path)
    await expect(page.locator('article .markdown').first()).toBeVisible()
    const pages = pagesWithText(await page.pdf({ format: 'A4' }))
    expect(pages.length).toBeGreaterThan(10)
    expect(pages).toEqual(pages.map(() => true))

    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('article')).toHaveCount(300)
    const printed = await page.locator('body').innerText()
    // The title is the first message.
    expect(printed.match(/\bm\d+(?= is| ends)/g)).toEqual(['m1', ...numbers])
    expect(printed).toContain('m2 is text.')
    expect(printed).not.toMatch(/Type your message|Yonder|Contents|Show all|read-only/)
    const look = await page.evaluate(() => ({
      isCut: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      ink: getComputedStyle(document.querySelector('article')!).color,
    }))
    expect(look).toEqual({ isCut: false, ink: 'rgb(28, 27, 26)' })
    await page.emulateMedia({ media: 'screen' })
    await expect.poll(() => page.getByRole('article').count(), { timeout: 60_000 }).toBeLessThan(100)
  }
})

test('the keys of the browser for printing prepare a very long chat, which can be cancelled, and then print all of it', async ({
  page,
  user,
  product,
}) => {
  await page.addInitScript(() => {
    window.print = () => {
      document.body.dataset['printed'] = String(document.querySelectorAll('article').length)
      dispatchEvent(new Event('afterprint'))
    }
  })
  const id = await writeLongChat(product.dataDir, user.email, 120)
  await page.goto(`/chat/${id}`)
  await expect(lastTurn(page)).toBeInViewport()
  await page.keyboard.press('Control+p')
  await expect(page.getByText(/^Preparing to print: [\d,]+ of 120 messages$/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText(/^Preparing to print/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Print' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', '120', { timeout: 60_000 })
  await expect.poll(() => page.getByRole('article').count()).toBeLessThan(100)
  await expect(lastTurn(page)).toBeInViewport()
})

test('Contents marks the short message to which a user has gone, and End reaches the end of thousands of messages', async ({
  page,
  user,
  product,
}) => {
  const id = await writeLongChat(product.dataDir, user.email, 3000, (index) =>
    index % 2 === 1 ? `Question ${index}` : index % 12 === 0 ? 'A long answer. '.repeat(200) : 'Yes.',
  )
  await page.goto(`/chat/${id}`)
  await expect(lastTurn(page)).toBeInViewport()
  const contents = page.getByRole('navigation', { name: 'Contents' })
  const current = contents.locator('[aria-current="location"]')
  const distance = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY)
  await current.focus()
  for (const [keys, name] of [
    [['Home', 'ArrowDown', 'ArrowDown'], 'Question 5'],
    [['End', 'ArrowUp'], 'Question 2997'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('article', { name: 'You' }).filter({ hasText: name })).toBeFocused()
    await expect(page.getByRole('article', { name: 'You' }).filter({ hasText: name })).toBeInViewport({
      ratio: 1,
    })
    await expect(current).toHaveText(name)
    await current.focus()
  }
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(current).toHaveText('Question 1')
  await page.keyboard.press('End')
  await expect.poll(distance).toBeLessThanOrEqual(1)
  await expect(lastTurn(page)).toBeInViewport()
  await expect(lastTurn(page)).toHaveAttribute('id', `message-${id}_m3000`)

  await page.goto(await share(page, id, 3000))
  await expect(page.getByRole('article').first()).toBeInViewport()
  await page.keyboard.press('End')
  await expect.poll(distance).toBeLessThanOrEqual(1)
  await expect(lastTurn(page)).toHaveAttribute('id', 'message-3000')
})

test('wide code and tables of replies begin with the text and take the room at its right, also in a share and after a long text', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize({ width: 1600, height: 900 })
  const wide = `\`\`\`sh\n${'tar --create '.repeat(14)}\n\`\`\`\n\n| ${'Column of a table | '.repeat(9)}\n|${'---|'.repeat(9)}\n| ${'One value | '.repeat(9)}`
  const text = `Words before.\n\n${wide}\n\n\`\`\`\nshort\n\`\`\`\n\n${'A paragraph of words. '.repeat(900)}\n\n${wide}`
  const id = await writeLongChat(product.dataDir, user.email, 2, (index) => (index === 1 ? wide : text))
  const boxes = () =>
    page
      .locator('article')
      .last()
      .locator('.markdown')
      .evaluate((markdown) => {
        const box = (element: Element) => {
          const { left, right } = element.getBoundingClientRect()
          return { left, right }
        }
        return {
          text: box(markdown.querySelector('p')!),
          blocks: [...markdown.querySelectorAll('.markdown-code, .markdown-table')].map(box),
        }
      })
  await page.goto(`/chat/${id}`)
  await expect(page.locator('.markdown-code')).toHaveCount(4)
  for (const path of [`/chat/${id}`, await share(page, id, 2)]) {
    await page.goto(path)
    await expect(page.locator('.markdown-code')).toHaveCount(4)
    const { text: column, blocks } = await boxes()
    const [code, table, short, , lastTable] = blocks
    expect(blocks.map(({ left }) => left)).toEqual(blocks.map(() => column.left))
    expect(code!.right).toBeGreaterThan(column.right + 200)
    expect(table!.right).toBeGreaterThan(column.right + 200)
    expect(short!.right).toBe(column.right)
    // After a long text, of which the browser paints only the parts in view.
    expect(lastTable!.right).toBe(table!.right)
    await page.locator('.markdown-table').last().scrollIntoViewIfNeeded()
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 390, height: 844 })
    const outside = async () => {
      const { text: column, blocks } = await boxes()
      return blocks.filter(({ left, right }) => left !== column.left || right !== column.right)
    }
    await expect.poll(outside).toEqual([])
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1600, height: 900 })
  }
})
