import type { Page } from '@playwright/test'
import { input, openTab, writeMessage } from './support/chat-page.ts'
import { writeChats } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'

const day = 86_400_000

const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' })
const rows = (page: Page) => page.getByRole('main').getByRole('listitem')
const rowOf = (page: Page, title: string) => rows(page).filter({ hasText: title })
const question = (page: Page) => page.getByRole('alertdialog')

const firstMessage = (page: Page) => page.getByRole('article', { name: 'You' }).first()

/** Opens the list of chats if it is closed. */
async function openList(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Chats/ }).click()
  await expect(list(page)).toBeVisible()
}

async function showOnly(page: Page, name: string): Promise<void> {
  if (!(await list(page).isVisible())) await openList(page)
  await list(page).getByRole('button', { name: 'Show only' }).click()
  await page.getByRole('menuitem', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

test.describe('where users may delete chats', () => {
  test.use({ installation: 'self-service' })

  const chatsOf = (now: number) =>
    [
      { id: 'logo', title: 'Logo ideas for the bakery', deleted_at: now - 1000 },
      {
        id: 'tyres',
        title: 'Which tyre size fits a 1998 Volvo V70 with the original steel rims and no spacers',
        deleted_at: now - 9 * day,
      },
      { id: 'arabic', title: 'اشرح لي الخوارزمية من فضلك', deleted_at: now - 20 * day },
      { id: 'test', title: 'Test', deleted_at: now - 27 * day },
      { id: 'pumps', title: 'Compare three heat pumps', archived: 1 },
      { id: 'bread', title: 'Bread with 80 % hydration', archived: 1 },
      { id: 'menu', title: 'Weekly menu' },
    ].map((chat) => ({ ...chat, id: `${chat.id}-${now}`, updated_at: now - 40 * day }))

  for (const { look, viewport, colorScheme } of looks)
    test(`deleted chats are restored or deleted for good, and archived ones come back: ${look}`, async ({
      page,
      user,
      product,
      axe,
    }) => {
      await writeChats(product.dataDir, user.email, chatsOf(Date.now()))
      await setLook(page, { viewport, colorScheme })
      await page.goto('/')
      await showOnly(page, 'Recently deleted')
      await expect(page).toHaveURL(/\/deleted$/)
      await expect(page).toHaveTitle('Recently deleted · Yonder')
      await expect(rows(page)).toHaveCount(4)
      await expect(rowOf(page, 'Test')).toContainText(/gone in 3 days/i)
      await axe(page)
      await expectNoSidewaysScroll(page)
      await rowOf(page, 'Logo ideas').getByRole('button', { name: 'Restore' }).click()
      await expect(page.getByText('Chat restored')).toBeVisible()
      await expect(rows(page)).toHaveCount(3)

      for (const title of ['Test', 'اشرح']) await rowOf(page, title).getByRole('checkbox').check()
      await expect(page.getByText('2 selected')).toBeVisible()
      await dismissToasts(page)
      await axe(page)
      await page.getByRole('button', { name: 'Delete now…' }).first().click()
      await expect(question(page)).toHaveAccessibleName('Delete 2 chats for good?')
      await expect(question(page)).toHaveAccessibleDescription('This action cannot be undone.')
      await axe(page)
      await question(page).getByRole('button', { name: 'Cancel' }).click()
      await expect(rows(page)).toHaveCount(3)
      await page.getByRole('button', { name: 'Delete now…' }).first().click()
      await question(page).getByRole('button', { name: 'Delete' }).click()
      await expect(rows(page)).toHaveCount(1)
      await page.reload()
      await expect(rows(page)).toHaveText(/^Which tyre size/)
      await page.getByRole('button', { name: 'Delete all now…' }).click()
      await question(page).getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByText('Nothing was deleted in the last 30 days.')).toBeVisible()
      await dismissToasts(page)
      await axe(page)

      await showOnly(page, 'Archived')
      await expect(rows(page)).toHaveCount(2)
      await axe(page)
      await expectNoSidewaysScroll(page)
      await rowOf(page, 'heat pumps').getByRole('button', { name: 'Unarchive' }).click()
      await rowOf(page, 'Bread').getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByText('No archived chats')).toBeVisible()
      await page.getByRole('button', { name: 'Undo' }).click()
      await rowOf(page, 'Bread').getByRole('link').click()
      await expect(input(page)).toBeVisible()
      if (!(await list(page).isVisible())) await openList(page)
      await expect(list(page).getByRole('link')).toHaveText([
        'Compare three heat pumps',
        'Logo ideas for the bakery',
        'Weekly menu',
      ])
    })

  test('Recently deleted is used with the keyboard alone', async ({ page, user, product }) => {
    await writeChats(product.dataDir, user.email, chatsOf(Date.now()))
    await page.goto('/deleted')
    await expect(rows(page)).toHaveCount(4)
    await page.getByRole('checkbox', { name: 'Select all' }).focus()
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab')
    await expect(rowOf(page, 'Logo ideas').getByRole('checkbox')).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await expect(rowOf(page, 'tyre').getByRole('button', { name: 'Restore' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(3)
    await expect(rowOf(page, 'اشرح').getByRole('button', { name: 'Restore' })).toBeFocused()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+ArrowDown')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByText('2 selected')).toHaveCount(0)
    await page.keyboard.press('End')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(question(page)).toHaveAccessibleName('Delete this chat for good?')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(2)
  })

  test('a chat that is deleted during a reply ends in every tab, its link too, until it is undone', async ({
    page,
    user: _user,
    context,
    openBrowser,
  }) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await writeMessage(page, 'Hello')
    await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible()
    const [response] = await Promise.all([
      page.waitForResponse(/\/api\/share\//),
      page.getByRole('button', { name: 'Share' }).first().click(),
    ])
    const { shareId } = (await response.json()) as { shareId: string }
    const visitor = await (await openBrowser()).newPage()
    const openShare = () => visitor.goto(`/share/${shareId}`)
    await openShare()
    await expect(visitor.getByText('This is a shared chat view.')).toBeVisible()
    await writeMessage(page, 'Write a long answer')
    const other = await openTab(context, page.url())
    await expect(other.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
    await input(other).fill('Not sent yet')

    if (!(await list(page).isVisible())) await openList(page)
    const deleteChat = async () => {
      await list(page).getByRole('link').first().focus()
      await page.keyboard.press('Delete')
    }
    await deleteChat()
    for (const tab of [page, other]) {
      await expect(tab.getByRole('heading', { name: 'This chat was deleted' })).toBeVisible()
      await expect(firstMessage(tab)).toHaveCount(0)
    }
    await expect(list(page).getByRole('link')).toHaveCount(0)
    await openShare()
    await expect(visitor.getByText('Chat Not Found')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    for (const tab of [page, other]) {
      await expect(firstMessage(tab)).toBeVisible()
      await expect(tab.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0)
    }
    await expect(input(other)).toHaveValue('Not sent yet')
    await openShare()
    await expect(visitor.getByText('This is a shared chat view.')).toBeVisible()

    await deleteChat()
    await other.getByRole('button', { name: 'Restore' }).click()
    await expect(input(page)).toBeVisible()
  })

  test('a tab with a chat that was deleted for good meanwhile says so and leads to a new one', async ({
    page,
    user: _user,
    context,
    problems,
  }) => {
    problems.expect(/404/)
    await page.setViewportSize({ width: 1280, height: 800 })
    await writeMessage(page, 'Hello')
    await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible()
    const other = await openTab(context, page.url())
    await expect(firstMessage(other)).toBeVisible()
    if (!(await list(page).isVisible())) await openList(page)
    await list(page).getByRole('link').first().focus()
    await page.keyboard.press('Delete')
    await expect(other.getByRole('heading', { name: 'This chat was deleted' })).toBeVisible()
    await page.goto('/deleted')
    await page.getByRole('button', { name: 'Delete all now…' }).click()
    await question(page).getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('Nothing was deleted')).toBeVisible()
    await other.getByRole('button', { name: 'Restore' }).click()
    await expect(other.getByRole('heading', { name: 'This chat was deleted for good' })).toBeVisible()
    await other.getByRole('link', { name: 'New chat' }).click()
    await expect(other.getByText('How can I help you today?')).toBeVisible()
  })
})

test('where users may not delete chats, archiving is offered and the legal pages say why (§1.9)', async ({
  page,
  user,
  product,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  const now = Date.now()
  await writeChats(product.dataDir, user.email, [
    { id: `menu-${now}`, title: 'Weekly menu', updated_at: now },
  ])
  await page.goto('/')
  if (!(await list(page).isVisible())) await openList(page)
  const link = list(page).getByRole('link', { name: 'Weekly menu' })
  await link.hover()
  await list(page).getByRole('button', { name: 'Actions for Weekly menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'Archive' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await link.focus()
  await page.keyboard.press('Delete')
  await expect(link).toBeVisible()
  await list(page).getByRole('button', { name: 'Show only' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Archived'])
  for (const path of ['/privacy', '/terms']) {
    await page.goto(path)
    await expect(page.getByText(/Deleting or exporting .* by yourself is not available/)).toBeVisible()
  }
})
