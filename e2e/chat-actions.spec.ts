import type { Page } from '@playwright/test'
import { openTab } from './support/chat-page.ts'
import { writeChats, writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'

const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' })
const row = (page: Page, name: string) => list(page).getByRole('link', { name })
const group = (page: Page, name: string) => list(page).getByRole('list', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name })

const titles = ['Sourdough', 'Heat pumps', 'Birthday speech', 'Packing list']

/** Chats of today, the newest first, with ids of this test. */
const someChats = () => {
  const now = Date.now()
  return titles.map((title, index) => ({ id: `${index}-${now}`, title, updated_at: now - index }))
}

async function openList(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.removeItem('chat_list_wide'))
  await page.goto('/')
  if ((page.viewportSize()?.width ?? 0) < 1024)
    await page.getByRole('button', { name: 'Chats', exact: true }).click()
  await expect(row(page, 'Sourdough')).toBeVisible()
}

for (const { look, viewport, colorScheme } of looks)
  test(`a chat is renamed, pinned and archived by its menu, and several at once; every tab shows it: ${look}`, async ({
    page,
    context,
    user,
    product,
    axe,
  }) => {
    await writeChats(product.dataDir, user.email, someChats())
    await setLook(page, { viewport, colorScheme })
    await openList(page)
    const other = await openTab(context, '/')
    await setLook(other, { viewport: { width: 1280, height: 800 }, colorScheme })
    await expect(row(other, 'Sourdough')).toBeVisible()

    await row(page, 'Heat pumps').hover()
    await page.getByRole('button', { name: 'Actions for Heat pumps' }).click()
    await axe(page)
    await item(page, 'Pin').click()
    await expect(group(page, 'Pinned').getByRole('link')).toHaveText('Heat pumps')
    await expect(group(other, 'Pinned').getByRole('link')).toHaveText('Heat pumps')

    await row(page, 'Sourdough').focus()
    await page.keyboard.press('F2')
    await axe(page)
    await page.keyboard.type('Wet dough')
    await page.keyboard.press('Enter')
    await expect(row(page, 'Wet dough')).toBeFocused()
    await expect(row(other, 'Wet dough')).toBeVisible()

    await page.keyboard.press(' ')
    await page.keyboard.press('Shift+ArrowDown')
    await axe(page)
    await list(page).getByRole('button', { name: 'Archive' }).click()
    await expect(row(page, 'Wet dough')).toHaveCount(0)
    await expect(row(other, 'Birthday speech')).toHaveCount(0)
    await expect(row(other, 'Packing list')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(row(page, 'Birthday speech')).toBeVisible()
    await expect(row(other, 'Wet dough')).toBeVisible()
    // The order is that of the messages, whatever was done.
    await expect(group(page, 'Today').getByRole('link')).toHaveText([
      'Wet dough',
      'Birthday speech',
      'Packing list',
    ])
  })

test('the title in the header opens the menu of the open chat, and is edited in its place', async ({
  page,
  user,
  product,
}) => {
  const id = await writeLongChat(product.dataDir, user.email, 2)
  await page.goto(`/chat/${id}`)
  const title = page.getByRole('banner').getByRole('button', { name: /^Question 1/ })
  await title.press('Enter')
  await item(page, 'Rename').press('Enter')
  await page.getByRole('textbox', { name: 'Title' }).fill('Tides')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('banner').getByRole('button', { name: 'Tides' })).toBeFocused()
  await expect(page).toHaveTitle(/^Tides/)
  await page.keyboard.press('Enter')
  await item(page, 'Archive').click()
  await expect(page.getByText('Chat archived')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await page.keyboard.press('ControlOrMeta+b')
  await expect(row(page, 'Tides')).toBeVisible()
})

for (const { look, viewport, colorScheme } of looks)
  test(`home shows the last chats where no list has them: ${look}`, async ({ page, user, product, axe }) => {
    await writeChats(product.dataDir, user.email, someChats())
    await setLook(page, { viewport, colorScheme })
    await page.goto('/')
    const last = page.getByRole('region', { name: 'Last chats' }).getByRole('link')
    await expect(last).toHaveText(titles.slice(0, 3))
    await axe(page)
    if (viewport.width < 1024) return
    await page.keyboard.press('ControlOrMeta+b')
    await expect(row(page, 'Sourdough')).toBeVisible()
    await expect(last).toHaveCount(0)
  })
