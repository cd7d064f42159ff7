import type { BrowserContext, Page } from '@playwright/test'
import { writeChats } from '../e2e/support/database-rows.ts'
import { callApi } from '../e2e/support/tools-fixtures.ts'
import { openReport } from './parts/figures.ts'
import { openProductPage, openUntilPainted, watchTasks } from './parts/open-product-page.ts'

/*
 * Compares the list of a user with 10,000 chats and 200 projects with that of a user with 100 chats, in a browser that
 * has cached the app: from the navigation until the first rows are painted. Then scrolls to the end of the long list and
 * back, filters it, and measures the processor time of the longest task.
 * `npm run bench chat-list [rounds]`
 */

const rounds = Number(process.argv[2] ?? 9)
const maxRatio = 1.3
const maxTaskMs = 50
const sizes = { small: { chats: 100, projects: 0 }, large: { chats: 10_000, projects: 200 } }
const scrollPx = 400
const day = 86_400_000

const product = await openProductPage()

/** Opens a browser of a user of this many chats. A tenth of them is in projects. */
async function openUser({ chats, projects }: { readonly chats: number; readonly projects: number }) {
  const { context, page, email } = await product.openUser()
  const ids: string[] = []
  for (let index = 0; index < projects; index++) {
    const { id } = await callApi<{ id: string }>(page, 'POST', '/api/project', { name: `Project ${index}` })
    ids.push(id)
  }
  const now = Date.now()
  const rowOf = (index: number) => ({
    id: `${email.slice(0, 8)}-${index}`,
    title: `Chat ${index} about the tides of the sea`,
    updated_at: now - (index * 1000 * day) / chats,
    project_id: index % 10 === 0 ? (ids[(index / 10) % ids.length] ?? null) : null,
  })
  await writeChats(
    product.dataDir,
    email,
    Array.from({ length: chats }, (_, index) => rowOf(index)),
  )
  await page.close()
  return context
}

async function open(user: BrowserContext): Promise<{ readonly page: Page; readonly ms: number }> {
  const page = await user.newPage()
  return { page, ms: await openUntilPainted(page, '/', 'nav[aria-label="Chats"] li a') }
}

/** Scrolls the list to its end and back, a step in each frame. Returns the times of the frames and the height. */
const scrollThrough = (page: Page) =>
  page.evaluate(async (step) => {
    const box = [...document.querySelectorAll('nav[aria-label="Chats"] *')].find(
      ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 50,
    )
    if (box === undefined) throw new Error('The list does not scroll')
    const times: number[] = []
    let last = performance.now()
    const bottom = { height: 0 }
    for (let idle = 0; idle < 120 || box.scrollTop > 0;) {
      const before = box.scrollTop
      box.scrollTop += idle < 120 ? step : -50 * step
      if (idle < 120) {
        idle = box.scrollTop === before ? idle + 1 : 0
        bottom.height = box.scrollHeight
      }
      await new Promise((resolve) => requestAnimationFrame(resolve))
      times.push(performance.now() - last)
      last = performance.now()
    }
    return { times, height: bottom.height }
  }, scrollPx)

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
const stopWatch = await watchTasks(page)
const scrolled = await scrollThrough(page)
const filterTimes: number[] = []
for (const words of ['chat 9', 'chat 99', 'tides', 'nothing of this', 'chat 4321']) {
  const start = performance.now()
  const answer = page.waitForResponse((response) => response.url().includes('/api/chat-list?'))
  await page.getByRole('searchbox', { name: 'Filter chats' }).fill(words)
  await answer
  filterTimes.push(performance.now() - start)
}
const longest = await stopWatch()
await product.close()

const report = openReport('chats')
report.add({
  name: 'first rows of the list',
  size: sizes.large.chats,
  unit: 'ms',
  values: times.large,
  counterpart: { name: `${sizes.small.chats} chats`, values: times.small, isPaired: true },
  goal: { maxRatio },
})
const name = `frames of a scroll through ${scrolled.height.toLocaleString('en')} px and back`
report.add({ name, unit: 'ms', values: scrolled.times })
report.add({ name: 'a filter, with the pause of typing', unit: 'ms', values: filterTimes })
report.add({
  name: 'processor time of the longest task',
  unit: 'ms',
  values: [longest],
  goal: { max: maxTaskMs },
})
report.finish()
