import type { Page } from '@playwright/test'
import { input, openTab, writeMessage } from './support/chat-page.ts'
import { writeChats, writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { test as withModel } from './support/tools-fixtures.ts'

const day = 86_400_000

const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' })
const row = (page: Page, name: string | RegExp) => list(page).getByRole('link', { name })
const group = (page: Page, name: string) => list(page).getByRole('list', { name, exact: true })
const listButton = (page: Page) => page.getByRole('button', { name: 'Chats', exact: true })
const edge = (page: Page) => page.getByRole('separator', { name: 'Width of the list of chats' })

/** As of someone who has never closed the list. */
const openAsUsual = (page: Page) => page.evaluate(() => localStorage.removeItem('chat_list_wide'))

const chatsOfAllTimes = () => {
  const now = Date.now()
  return [
    { id: 'pinned', title: 'Weekly menu', updated_at: now - 90 * day, pinned: 1 },
    { id: 'today', title: 'Weekend in Gothenburg with two children and a dog', updated_at: now },
    { id: 'unread', title: 'Wording for a late invoice', updated_at: now - day, unread: 1 },
    { id: 'arabic', title: 'اشرح لي الخوارزمية من فضلك', updated_at: now - 3 * day },
    { id: 'old', title: 'Packing list for Iceland', updated_at: Date.UTC(2024, 9, 3) },
    { id: 'archived', title: 'Not listed', updated_at: now, archived: 1 },
  ].map((chat) => ({ ...chat, id: `${chat.id}-${now}` }))
}

/** 230 chats: more than one page, even of a list that is read again because its live stream has opened late. */
const manyChats = () => {
  const now = Date.now()
  return Array.from({ length: 230 }, (_, index) => ({
    id: `many-${now}-${index}`,
    title: `Chat number ${index}`,
    updated_at: now - index * 1000,
  }))
}

for (const { look, viewport, colorScheme } of looks)
  test(`the chats are listed by time beside the chat, or in a drawer that opens from the header: ${look}`, async ({
    page,
    user,
    product,
    axe,
  }) => {
    await writeChats(product.dataDir, user.email, chatsOfAllTimes())
    const id = await writeLongChat(product.dataDir, user.email, 6)
    await openAsUsual(page)
    await setLook(page, { viewport, colorScheme })
    await page.goto(`/chat/${id}`)
    await expect(page.getByRole('article').last()).toBeVisible()
    const isDocked = viewport.width > 1024
    if (!isDocked) await listButton(page).click()
    await expect(group(page, 'Pinned').getByRole('link')).toHaveText('Weekly menu')
    await expect(group(page, 'Today').getByRole('link')).toHaveCount(2)
    await expect(group(page, 'Yesterday').getByRole('link')).toHaveAccessibleName(
      'Wording for a late invoice, unread',
    )
    await expect(group(page, 'Previous 7 days').getByRole('link')).toHaveText('اشرح لي الخوارزمية من فضلك')
    await expect(group(page, 'October 2024').getByRole('link')).toHaveText('Packing list for Iceland')
    await expect(row(page, /^Not listed/)).toHaveCount(0)
    await expect(row(page, /^Question 1/)).toHaveAttribute('aria-current', 'page')
    await axe(page)
    await expectNoSidewaysScroll(page)
    await row(page, /^Weekend/).click()
    await expect(page).toHaveURL(/\/chat\/today-/)
    await expect(list(page)).toBeVisible({ visible: isDocked })
    if (isDocked) await expect(row(page, /^Weekend/)).toHaveAttribute('aria-current', 'page')
    else await expect(input(page)).toBeFocused()
  })

test('the list takes room from a chat only where the text keeps its width, and what the user chooses is kept', async ({
  page,
  user,
  product,
}) => {
  const id = await writeLongChat(product.dataDir, user.email, 6)
  const contents = page.getByRole('navigation', { name: 'Contents' })
  const contentsButton = page.getByRole('button', { name: 'Contents' })
  await openAsUsual(page)
  await page.goto(`/chat/${id}`)
  // Open by default from 1232 px on, where the contents have their column.
  await page.setViewportSize({ width: 1232, height: 800 })
  await expect(list(page)).toBeVisible()
  await expect(contents).toBeVisible()
  await expect(contentsButton).toHaveCount(0)
  await page.setViewportSize({ width: 1231, height: 800 })
  await expect(list(page)).toHaveCount(0)
  await page.setViewportSize({ width: 1024, height: 800 })
  await expect(contents).toBeVisible()
  await page.keyboard.press('ControlOrMeta+b')
  await expect(list(page)).toBeVisible()
  await expect(contents).toHaveCount(0)
  await contentsButton.click()
  await expect(page.getByRole('dialog', { name: 'Contents' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(list(page)).toBeVisible()
  // The other choice is that of wide windows.
  await page.setViewportSize({ width: 1280, height: 800 })
  await listButton(page).click()
  await expect(list(page)).toHaveCount(0)
  await page.reload()
  await expect(contents).toBeVisible()
  await expect(list(page)).toHaveCount(0)
  await page.setViewportSize({ width: 1100, height: 800 })
  await expect(list(page)).toBeVisible()
})

test('the edge of the list is moved by mouse and keys, within its limits', async ({
  page,
  user,
  product,
}) => {
  await writeChats(product.dataDir, user.email, chatsOfAllTimes())
  await openAsUsual(page)
  await page.goto('/')
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '256')
  const drag = async (to: number) => {
    const box = (await edge(page).boundingBox())!
    await page.mouse.move(box.x + 4, 300)
    await page.mouse.down()
    await page.mouse.move(to, 310, { steps: 3 })
    await page.mouse.up()
  }
  await drag(300)
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '300')
  expect((await page.getByRole('main').boundingBox())?.x).toBe(300)
  await drag(900)
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '400')
  await edge(page).press('ArrowLeft')
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '384')
  await edge(page).press('Home')
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '224')
  await page.reload()
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '224')
  await edge(page).dblclick()
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '256')
})

test('a new user has no list beside the page until there is a chat, which other tabs and devices show too', async ({
  page,
  context,
  user,
  openDevice,
}) => {
  await openAsUsual(page)
  await page.reload()
  await expect(input(page)).toBeFocused()
  await expect(list(page)).toHaveCount(0)
  const device = await openDevice(user, '/')
  await device.getByRole('button', { name: 'Chats', exact: true }).click()
  await expect(list(device)).toContainText('New chats are listed here.')
  await writeMessage(page, 'Which owls hunt by day?')
  await expect(row(page, /^Which owls/)).toHaveAttribute('aria-current', 'page')
  await expect(row(device, /^Which owls/)).toBeVisible()
  const tab = await openTab(context, '/')
  await writeMessage(tab, 'And which foxes?')
  for (const each of [page, device, tab])
    await expect(group(each, 'Today').getByRole('link').first()).toHaveText(/^And which foxes/)
  await writeMessage(page, 'More of them')
  for (const each of [page, device, tab])
    await expect(group(each, 'Today').getByRole('link').first()).toHaveText(/^Which owls/)
})

test('the list is read while one scrolls, filtered while one types, and works with the keyboard alone', async ({
  page,
  user,
  product,
}) => {
  const many = manyChats().map((chat, index) => (index === 120 ? { ...chat, title: 'The fox' } : chat))
  await writeChats(product.dataDir, user.email, many)
  await openAsUsual(page)
  await page.goto('/')
  await expect(row(page, 'Chat number 0')).toBeVisible()
  await expect(row(page, 'Chat number 229')).toHaveCount(0)
  await expect(input(page)).toBeFocused()
  await page.getByRole('button', { name: 'Account' }).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(list(page).getByRole('searchbox', { name: 'Filter chats' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'Chat number 0')).toBeFocused()
  // The end is that of the loaded chats, which the next page follows. A list that is read again has larger pages.
  let end = 0
  while (end < 229) {
    await expect(row(page, new RegExp(`^Chat number ${end + 1}$`))).toBeAttached()
    await page.keyboard.press('End')
    const title = await list(page).locator(':focus').getAttribute('title')
    const next = Number(title?.replace('Chat number ', ''))
    expect(next).toBeGreaterThan(end)
    end = next
  }
  await expect(row(page, 'Chat number 229')).toBeFocused()
  // Over the button for other lists.
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  // The row of the inbox is between the list and the filter.
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('FO')
  await expect(group(page, 'Chats found').getByRole('link')).toHaveText('The fox')
  await expect(list(page).locator('mark')).toHaveText('fo')
  await page.keyboard.press('Escape')
  await expect(row(page, 'Chat number 0')).toBeVisible()
  await page.keyboard.type('nowhere')
  await expect(list(page)).toContainText('No chat has these words in its title.')
  await page.keyboard.press('Escape')
  await page.keyboard.type('fox')
  await expect(group(page, 'Chats found').getByRole('link')).toHaveText('The fox')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/-120$/)
})

test('a key that comes with the next page, before it is drawn, goes to the end of that page', async ({
  page,
  user,
  product,
}) => {
  await writeChats(product.dataDir, user.email, manyChats())
  await openAsUsual(page)
  await page.goto('/')
  await row(page, 'Chat number 0').focus()
  // The observer is called before the next frame, which no key of the test can be.
  await list(page).evaluate((element) => {
    let last = 49
    const pressEnd = () => {
      if (element.querySelector(`[title="Chat number ${last + 1}"]`) === null) return
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }))
      last = Number(document.activeElement?.getAttribute('title')?.replace('Chat number ', ''))
    }
    new MutationObserver(pressEnd).observe(element, { childList: true, subtree: true })
  })
  await page.keyboard.press('End')
  await expect(row(page, 'Chat number 229')).toBeFocused()
  await expect(row(page, 'Chat number 229')).toBeInViewport()
})

for (const { look, viewport, colorScheme } of looks)
  test(`the unread chats are listed alone, and a chat that is read there leaves when the user goes on: ${look}`, async ({
    page,
    user,
    product,
    axe,
  }) => {
    const now = Date.now()
    await writeChats(
      product.dataDir,
      user.email,
      Array.from({ length: 64 }, (_, index) => ({
        id: `mark-${now}-${index}`,
        title: `Chat number ${index}`,
        updated_at: now - index * 1000,
        unread: index % 2,
      })),
    )
    await openAsUsual(page)
    await setLook(page, { viewport, colorScheme })
    await page.goto('/')
    const isDocked = viewport.width > 1024
    const openList = async () => {
      if (!isDocked) await listButton(page).click()
    }
    const menu = page.getByRole('button', { name: 'Show only' })
    await openList()
    await menu.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitemcheckbox', { name: 'Unread' })).toBeFocused()
    await axe(page)
    await page.keyboard.press('Enter')
    await expect(row(page, /^Chat number 0/)).toHaveCount(0)
    await expect(group(page, 'Unread').getByRole('link').first()).toHaveText('Chat number 1')
    await axe(page)
    await expectNoSidewaysScroll(page)
    await row(page, 'Chat number 1, unread').click()
    await openList()
    // A drawer has closed meanwhile, so that no row stands under the pointer.
    const first = group(page, 'Unread').getByRole('link').first()
    if (isDocked) await expect(first).toHaveAccessibleName('Chat number 1')
    await row(page, 'Chat number 3, unread').click()
    await openList()
    if (isDocked) await expect(first).toHaveAccessibleName('Chat number 3')
    await expect(row(page, 'Chat number 5, unread')).toBeVisible()
    await list(page).getByRole('searchbox').fill('63')
    await expect(group(page, 'Unread').getByRole('link')).toHaveCount(1)
    await expect(row(page, 'Chat number 63, unread')).toBeVisible()
    await list(page).getByRole('searchbox').fill('')
    await menu.click()
    await page.getByRole('menuitemcheckbox', { name: 'Waiting for approval' }).click()
    await expect(list(page)).toContainText('No chat waits for your approval.')
    await axe(page)
    await list(page).getByRole('button', { name: 'Show all' }).click()
    await expect(menu).toBeFocused()
    await expect(row(page, /^Chat number 0/)).toBeVisible()
  })

for (const { look, viewport, colorScheme } of looks)
  withModel(
    `without a connection the list stays and says of what time it is, and an unseen reply that failed is marked: ${look}`,
    async ({ page, context, user, product, model, axe, problems }) => {
      problems.allow(/ERR_|UnreachableError|Failed to fetch|Failed to load|Error sending message/)
      await writeChats(product.dataDir, user.email, chatsOfAllTimes())
      await openAsUsual(page)
      await setLook(page, { viewport, colorScheme })
      await page.goto('/')
      const tab = await openTab(context, '/')
      const gate = model.gate()
      model.reply(['The hawk', gate, { cut: true }])
      await writeMessage(tab, 'Which owls hunt by day?')
      await expect(tab.getByRole('article').last()).toContainText('The hawk')
      await tab.close()
      gate.open()
      if (viewport.width <= 1024) await listButton(page).click()
      await expect(row(page, 'Which owls hunt by day?, reply failed')).toBeVisible()
      await context.setOffline(true)
      await expect(list(page)).toContainText(/As of \d\d:\d\d\. It updates when the connection is back\./)
      await expect(row(page, /^Weekly menu/)).toBeVisible()
      await axe(page)
      await context.setOffline(false)
      await expect(list(page)).not.toContainText('As of')
    },
  )

test('a page of chats that could not be loaded is offered again', async ({
  page,
  user,
  product,
  problems,
}) => {
  problems.expect(/503/)
  await writeChats(product.dataDir, user.email, manyChats())
  await openAsUsual(page)
  await page.route(/\/api\/chat-list\?.*cursor=/, (route) => route.fulfill({ status: 503 }))
  await page.goto('/')
  await row(page, 'Chat number 0').focus()
  await page.keyboard.press('End')
  await expect(list(page).getByRole('alert')).toContainText('Chats could not be loaded.')
  await page.unroute(/\/api\/chat-list\?.*cursor=/)
  await list(page).getByRole('button', { name: 'Try again' }).click()
  await expect(list(page).getByRole('alert')).toHaveCount(0)
  await row(page, 'Chat number 49').or(row(page, 'Chat number 199')).first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'Chat number 50').or(row(page, 'Chat number 200')).first()).toBeFocused()
})

test.describe('a touch screen', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('a swipe to the left, a tap beside it and Escape close the drawer', async ({
    page,
    user,
    product,
  }) => {
    await writeChats(product.dataDir, user.email, chatsOfAllTimes())
    await page.goto('/')
    const drawer = page.getByRole('dialog', { name: 'Chats' })
    await listButton(page).tap()
    await expect(row(page, 'Weekly menu')).toBeVisible()
    // A phone would open its keyboard.
    await expect(drawer.getByRole('button', { name: 'Close' })).toBeFocused()
    const { height } = (await row(page, 'Weekly menu').boundingBox())!
    expect(height).toBe(44)
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)
    await listButton(page).tap()
    await page.touchscreen.tap(370, 400)
    await expect(drawer).toHaveCount(0)
    await listButton(page).tap()
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x, y: 400 }],
      })
    await touch('touchStart', 250)
    await touch('touchMove', 180)
    await touch('touchMove', 120)
    await touch('touchEnd', 120)
    await expect(drawer).toHaveCount(0)
  })
})
