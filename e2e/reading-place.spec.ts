import type { Page } from '@playwright/test'
import { writeLongChat } from './support/database-rows.ts'
import { expect, test } from './support/fixtures.ts'
import { callApi } from './support/tools-fixtures.ts'

const portrait = { width: 390, height: 844 }
const landscape = { width: 844, height: 390 }

/** Numbered words, so that every line can be found again. */
const paragraph = (name: string) => Array.from({ length: 400 }, (_, index) => `${name}w${index}.`).join(' ')
const code = (name: string) =>
  Array.from({ length: 60 }, (_, index) => `let ${name}c${index} = ${index}`).join('\n')

const chatText = (index: number) =>
  index % 2 === 1
    ? `Question ${index}`
    : [paragraph(`p${index}`), `\`\`\`js\n${code(`k${index}`)}\n\`\`\``, paragraph(`q${index}`)].join('\n\n')

/** The first numbered word of the first whole line below the header, and its distance from the header. */
const readTopLine = (page: Page) =>
  page.evaluate(() => {
    const edge = Math.max(0, document.querySelector('header')!.getBoundingClientRect().bottom)
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (walker.nextNode()) {
      const text = walker.currentNode
      for (const { 0: word, index } of (text.nodeValue ?? '').matchAll(/[pqk]\d+[wc]\d+/g)) {
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const { top } = range.getBoundingClientRect()
        if (top >= edge - 1) return { word, top: top - edge }
      }
    }
    throw new Error('No line is below the header.')
  })

/** The distance of a numbered word from the header, which is lower in landscape. */
const topOfWord = (page: Page, word: string) =>
  page.evaluate((word) => {
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (walker.nextNode()) {
      const text = walker.currentNode
      const index = text.nodeValue?.search(new RegExp(String.raw`${word}\b`)) ?? -1
      if (index < 0) continue
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const header = document.querySelector('header')!.getBoundingClientRect()
      return range.getBoundingClientRect().top - Math.max(0, header.bottom)
    }
    return undefined
  }, word)

const distanceToEnd = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY)

/** Resizes the window as rotating a phone does. The layout settles only some frames later. */
const rotate = async (page: Page, size: typeof portrait) => {
  await page.setViewportSize(size)
  await page.waitForFunction((width) => innerWidth === width, size.width)
}

/** Scrolls, and waits until the scrolling has ended, because the line that is read is found then. */
async function scroll(page: Page, distance: number): Promise<void> {
  await page.evaluate(
    (distance) =>
      new Promise<unknown>((resolve) => {
        addEventListener('scrollend', resolve, { once: true })
        scrollBy(0, distance)
      }),
    distance,
  )
}

/**
 * At each new size, lets an event of a pointer find its element before the page is drawn, as a finger on the screen
 * does. The browser then lays the page out and reports where it has scrolled by itself earlier than otherwise.
 */
const hitTestOnResize = (page: Page) =>
  page.addInitScript(() => addEventListener('resize', () => document.elementFromPoint(1, 1)))

async function expectPlaceKept(page: Page): Promise<void> {
  const { word, top } = await readTopLine(page)
  for (const size of [landscape, portrait, landscape, portrait]) {
    await rotate(page, size)
    const distance = async () => Math.abs((await topOfWord(page, word))! - top)
    await expect.poll(distance, `${word} at ${size.width}`).toBeLessThanOrEqual(2)
  }
  expect((await readTopLine(page)).word).toBe(word)
}

/** Writes a long chat, and opens it at its end. A reply is plain text until the code that draws markdown is loaded. */
async function openLongChat(page: Page, dataDir: string, email: string, count = 12): Promise<void> {
  const id = await writeLongChat(dataDir, email, count, chatText)
  await page.goto(`/chat/${id}`)
  await expect(page.locator('.markdown p').last()).toBeInViewport()
}

for (const { name, count } of [
  { name: 'a chat', count: 12 },
  { name: 'a chat of which only a part is drawn', count: 120 },
])
  test(`the line that is read stays at the top when a phone is turned: ${name}`, async ({
    page,
    user,
    product,
  }) => {
    await page.setViewportSize(portrait)
    await openLongChat(page, product.dataDir, user.email, count)
    await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
    // Through a long paragraph, code, and the middle of another reply.
    for (const distance of [-2_700, -1_900, -3_100]) {
      await scroll(page, distance)
      await expect(page.getByRole('button', { name: 'Go to the end' })).toBeVisible()
      await expectPlaceKept(page)
    }
  })

test('at the end of a chat the page stays there when its size changes', async ({ page, user, product }) => {
  await page.setViewportSize(portrait)
  await openLongChat(page, product.dataDir, user.email)
  for (const size of [landscape, portrait, { width: 390, height: 500 }, portrait, landscape]) {
    await rotate(page, size)
    await expect.poll(() => distanceToEnd(page), `${size.width}x${size.height}`).toBeLessThanOrEqual(1)
  }
})

test('the line that is read in a shared chat stays at the top when a phone is turned', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize(portrait)
  const id = await writeLongChat(product.dataDir, user.email, 4, chatText)
  const { shareId } = await callApi<{ shareId: string }>(page, 'POST', `/api/share/${id}`, {
    messageId: `${id}_m4`,
  })
  await page.goto(`/share/${shareId}`)
  await expect(page.locator('.markdown p').first()).toBeInViewport()
  await scroll(page, 1_500)
  await expectPlaceKept(page)
})

test('a finger on the screen while a phone is turned does not scroll a chat to its end', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize(portrait)
  await hitTestOnResize(page)
  await openLongChat(page, product.dataDir, user.email)
  await scroll(page, -2_700)
  await expect(page.getByRole('button', { name: 'Go to the end' })).toBeVisible()
  await expectPlaceKept(page)
})

const question = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Messages' }).getByText(text, { exact: true })

/** How far a message of the user is below the header. */
const topOfQuestion = (page: Page, text: string) =>
  question(page, text).evaluate((element) => {
    const header = document.querySelector('header')!.getBoundingClientRect()
    return element.getBoundingClientRect().top - header.bottom
  })

async function chooseInContents(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Contents' }).click()
  const panel = page.getByRole('dialog', { name: 'Contents' })
  await panel.getByRole('button', { name: text }).click()
  await expect(panel).toBeHidden()
}

test('a message of the user at the top, whose width does not change, stays there when a phone is turned', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize(portrait)
  await openLongChat(page, product.dataDir, user.email)
  await chooseInContents(page, 'Question 9')
  const top = await topOfQuestion(page, 'Question 9')
  for (const size of [landscape, portrait, landscape, portrait]) {
    await rotate(page, size)
    const distance = async () => Math.abs((await topOfQuestion(page, 'Question 9')) - top)
    await expect.poll(distance, `at ${size.width}`).toBeLessThanOrEqual(2)
  }
})

/** Holds the end of each scrolling, and the timers that replace it, until `release` is called. */
async function holdScrollEnds(page: Page) {
  await page.addInitScript(() => {
    const held: (() => void)[] = []
    Object.assign(window, { heldEnds: held })
    addEventListener('scrollend', (event) => event.stopImmediatePropagation(), { capture: true })
    const { setTimeout } = window
    Object.assign(window, {
      setTimeout: (callback: () => void, ms?: number, ...rest: unknown[]) =>
        ms === 150 ? held.push(callback) : setTimeout(callback, ms, ...rest),
    })
  })
  type Holder = typeof window & { heldEnds: (() => void)[] }
  return {
    count: () => page.evaluate(() => (window as Holder).heldEnds.length),
    release: () =>
      page.evaluate(() => {
        for (const end of (window as Holder).heldEnds.splice(0)) end()
      }),
  }
}

test('when a phone is turned while the page still scrolls, it shows the text that was last read', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize(portrait)
  const scrollEnds = await holdScrollEnds(page)
  await openLongChat(page, product.dataDir, user.email)
  await page.evaluate(() => scrollBy(0, -4_600))
  await expect(page.getByRole('button', { name: 'Go to the end' })).toBeVisible()
  const { word } = await readTopLine(page)
  await scrollEnds.release()
  const step = 100
  await page.evaluate(
    (step) =>
      new Promise<unknown>((resolve) => {
        addEventListener('scroll', resolve, { once: true })
        scrollBy(0, step)
      }),
    step,
  )
  expect(await scrollEnds.count()).toBeGreaterThan(0)
  await rotate(page, landscape)
  await expect.poll(async () => Math.abs((await topOfWord(page, word))!)).toBeLessThanOrEqual(step)
})

test('the line that is read is found when the scrolling has ended, not at each step', async ({
  page,
  user,
  product,
}) => {
  await openLongChat(page, product.dataDir, user.email)
  const measured = await page.evaluate(async () => {
    const events = new Set<string>()
    const { getClientRects } = Range.prototype
    Range.prototype.getClientRects = function (this: Range) {
      events.add(window.event?.type ?? 'other')
      return getClientRects.call(this)
    }
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    // Following the end stops with the first step.
    scrollBy(0, -800)
    await new Promise((resolve) => addEventListener('scrollend', resolve, { once: true }))
    await frame()
    await frame()
    events.clear()
    scrollBy({ top: -1500, behavior: 'smooth' })
    let steps = 0
    addEventListener('scroll', () => (steps += 1))
    await new Promise((resolve) => addEventListener('scrollend', resolve, { once: true }))
    return { steps, events: [...events] }
  })
  expect(measured.steps).toBeGreaterThan(0)
  expect(measured.events).not.toContain('scroll')
})
