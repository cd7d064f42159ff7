import { chromium, type Page } from '@playwright/test'
import { writeChats } from '../e2e/support/database-rows.ts'
import { startProduct } from '../e2e/support/product.ts'
import { callApi } from '../e2e/support/tools-fixtures.ts'
import { signUp } from '../e2e/support/users.ts'
import { findChromium } from '../scripts/find-chromium.mjs'
import { openReport } from './parts/figures.ts'

/*
 * Compares the list of a user with 10,000 chats and 200 projects with that of a user with 100 chats, in a browser that
 * has cached the app: from the navigation until the first rows are painted. Then scrolls to the end of the long list and
 * back, filters it, and measures how long a frame holds the page at most.
 * `npm run bench chat-list [rounds]`
 */

const rounds = Number(process.argv[2] ?? 9)
const maxRatio = 1.3
const maxFrameMs = 50
const sizes = { small: { chats: 100, projects: 0 }, large: { chats: 10_000, projects: 200 } }
const scrollPx = 400
const day = 86_400_000

const product = await startProduct()
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath !== undefined && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu'],
})
const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' })

/** Opens a browser of a user of this many chats. A tenth of them is in projects. */
async function openUser({ chats, projects }: { readonly chats: number; readonly projects: number }) {
  const context = await browser.newContext({ baseURL: product.url, viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const { email } = await signUp(page)
  const ids: string[] = []
  for (let index = 0; index < projects; index++) {
    const { id } = await callApi<{ id: string }>(page, 'POST', '/api/project', { name: `Project ${index}` })
    ids.push(id)
  }
  const now = Date.now()
  await writeChats(
    product.dataDir,
    email,
    Array.from({ length: chats }, (_, index) => ({
      id: `${email.slice(0, 8)}-${index}`,
      title: `Chat ${index} about the tides of the sea`,
      updated_at: now - (index * 1000 * day) / chats,
      project_id: index % 10 === 0 ? (ids[(index / 10) % ids.length] ?? null) : null,
    })),
  )
  await page.close()
  return context
}

type User = Awaited<ReturnType<typeof openUser>>

/** Milliseconds from the navigation until the first rows of the list are painted. */
async function open(user: User): Promise<{ readonly page: Page; readonly ms: number }> {
  const page = await user.newPage()
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('nav[aria-label="Chats"] li a') === null) return
      observer.disconnect()
      // The frame that paints it ends when the next one starts.
      requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('shown')))
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  await page.goto('/')
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
  const ms = await page.evaluate(() => performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN)
  return { page, ms }
}

/** Scrolls the list to its end and back, a step in each frame. Returns the longest tasks, which are 0 below 50 ms. */
const scrollThrough = (page: Page) =>
  page.evaluate(
    async ([step]) => {
      const tasks: number[] = []
      const observer = new PerformanceObserver((entries) => {
        tasks.push(...entries.getEntries().map(({ duration }) => duration))
      })
      observer.observe({ type: 'longtask' })
      const box = [...document.querySelectorAll('nav[aria-label="Chats"] *')].find(
        ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 50,
      )
      if (box === undefined) throw new Error('The list does not scroll')
      const times: number[] = []
      let last = performance.now()
      for (let idle = 0; idle < 120;) {
        const before = box.scrollTop
        box.scrollTop += step
        idle = box.scrollTop === before ? idle + 1 : 0
        await new Promise((resolve) => requestAnimationFrame(resolve))
        times.push(performance.now() - last)
        last = performance.now()
      }
      const height = box.scrollHeight
      while (box.scrollTop > 0) {
        box.scrollTop -= 50 * step
        await new Promise((resolve) => requestAnimationFrame(resolve))
        times.push(performance.now() - last)
        last = performance.now()
      }
      await new Promise((resolve) => requestAnimationFrame(resolve))
      return { longest: Math.max(0, ...tasks), times, height }
    },
    [scrollPx] as const,
  )

const users = { small: await openUser(sizes.small), large: await openUser(sizes.large) }
const times = { small: [0], large: [0] }
for (let round = -1; round < rounds; round++) {
  for (const name of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
    const { page, ms } = await open(users[name])
    times[name][Math.max(round, 0)] = ms
    await page.close()
  }
}

const { page } = await open(users.large)
await page.getByRole('button', { name: 'Chats', exact: true }).waitFor()
const { longest, times: frames, height } = await scrollThrough(page)
const filterTimes: number[] = []
for (const words of ['chat 9', 'chat 99', 'tides', 'nothing of this', 'chat 4321']) {
  const start = performance.now()
  const answer = page.waitForResponse((response) => response.url().includes('/api/chat-list?'))
  await list(page).getByRole('searchbox').fill(words)
  await answer
  filterTimes.push(performance.now() - start)
}
await browser.close()
await product.remove()

const report = openReport('chats')
report.add({
  name: 'first rows of the list',
  size: sizes.large.chats,
  unit: 'ms',
  values: times.large,
  counterpart: { name: `${sizes.small.chats} chats`, values: times.small, isPaired: true },
  goal: { maxRatio },
})
report.add({ name: `frames of a scroll through ${height} px and back`, unit: 'ms', values: frames })
report.add({
  name: 'longest task of it (0 below 50 ms)',
  unit: 'ms',
  values: [longest],
  goal: { max: maxFrameMs },
})
report.add({ name: 'a filter, with the pause of typing', unit: 'ms', values: filterTimes })
report.finish()
