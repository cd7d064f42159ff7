import type { Page } from '@playwright/test'
import { input, openTab, stopButton, writeMessage } from './support/chat-page.ts'
import { writeChats, writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, send, test } from './support/tools-fixtures.ts'

const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' })
const row = (page: Page, name: string | RegExp) => list(page).getByRole('link', { name })
const today = (page: Page) => list(page).getByRole('list', { name: 'Today' }).getByRole('link')
const item = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name })
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
const notice = (page: Page) => page.getByRole('status', { name: 'Messages' })
const deletedList = (page: Page) => page.getByRole('list', { name: 'Recently deleted' })
const selectAll = (page: Page) => page.getByRole('checkbox', { name: 'Select all' })
const gone = (page: Page) => page.getByRole('heading', { name: 'This chat was deleted', exact: true })

const titles = ['Sourdough', 'Heat pumps', 'Birthday speech', 'Packing list']
const someChats = (deleted_at: number | null = null) => {
  const now = Date.now()
  return titles.map((title, index) => ({
    id: `${index}-${now}`,
    title,
    updated_at: now - index,
    deleted_at,
  }))
}

/** Opens the page with the list beside it, or in the drawer. */
async function openList(page: Page, path = '/'): Promise<void> {
  await page.evaluate(() => localStorage.removeItem('chat_list_wide'))
  await page.goto(path)
  if ((page.viewportSize()?.width ?? 0) < 1024)
    await page.getByRole('button', { name: 'Chats', exact: true }).click()
  await expect(today(page).first()).toBeVisible()
}

test.describe('where users may delete', () => {
  test.use({ installation: 'self-service' })

  for (const { look, viewport, colorScheme } of looks)
    test(`a chat is deleted by its menu, in every tab, and comes back to its place within ten seconds: ${look}`, async ({
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
      await row(page, 'Heat pumps').hover()
      await page.getByRole('button', { name: 'Actions for Heat pumps' }).click()
      await axe(page)
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 1_000)
      await item(page, /^Delete/).click()
      for (const tab of [page, other])
        await expect(today(tab)).toHaveText(['Sourdough', 'Birthday speech', 'Packing list'])
      await page.clock.runFor(9_900)
      await expect(notice(page)).toContainText('Chat deleted')
      await page.clock.runFor(200)
      await expect(notice(page)).toBeEmpty()
      await page.clock.resume()

      await row(page, 'Birthday speech').focus()
      await page.keyboard.press('Delete')
      await expect(today(other)).toHaveText(['Sourdough', 'Packing list'])
      await expect(row(page, 'Packing list')).toBeFocused()
      await expectNoSidewaysScroll(page)
      await undo(page).click()
      for (const tab of [page, other])
        await expect(today(tab)).toHaveText(['Sourdough', 'Birthday speech', 'Packing list'])
      await dismissToasts(page)
      await row(page, 'Sourdough').focus()
      await page.keyboard.press('Delete')
      await expect(today(other)).toHaveText(['Birthday speech', 'Packing list'])
      await page.keyboard.press('ControlOrMeta+z')
      for (const tab of [page, other])
        await expect(today(tab)).toHaveText(['Sourdough', 'Birthday speech', 'Packing list'])
    })

  test('several chats, or all that match, are deleted and restored with the keyboard alone', async ({
    page,
    context,
    user,
    product,
  }) => {
    await writeChats(product.dataDir, user.email, [
      ...someChats(),
      { id: `old-${Date.now()}`, title: 'Old heat pumps', updated_at: 1 },
    ])
    await openList(page)
    const other = await openTab(context, '/')
    await row(page, 'Sourdough').focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Delete')
    await expect(notice(page)).toContainText('2 chats deleted')
    await expect(today(other)).toHaveText(['Birthday speech', 'Packing list'])
    await page.keyboard.press('ControlOrMeta+z')
    await expect(today(other)).toHaveText(titles)

    await list(page).getByRole('searchbox', { name: 'Filter chats' }).fill('heat')
    const found = list(page).getByRole('list', { name: 'Chats found' })
    await expect(found.getByRole('link')).toHaveText(['Heat pumps', 'Old heat pumps'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await expect(notice(page)).toContainText('2 chats deleted')
    await expect(list(page)).toContainText('No chat has these words in its title.')
    await expect(today(other)).toHaveText(['Sourdough', 'Birthday speech', 'Packing list'])
    await expect(row(other, 'Old heat pumps')).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+z')
    await expect(found.getByRole('link')).toHaveText(['Heat pumps', 'Old heat pumps'])
    await expect(today(other)).toHaveText(titles)
  })

  for (const { look, ...window } of looks)
    test(`deleted chats are restored, or deleted for good after a question: ${look}`, async ({
      page,
      context,
      user,
      product,
      axe,
    }) => {
      await writeChats(product.dataDir, user.email, someChats(Date.now()))
      await setLook(page, window)
      const other = await openTab(context, '/deleted')
      await page.goto('/deleted')
      const rows = deletedList(page).getByRole('listitem')
      const ofRow = (title: string) => rows.filter({ hasText: title })
      await expect(rows).toHaveCount(4)
      await axe(page)
      await expectNoSidewaysScroll(page)
      await ofRow('Sourdough').getByRole('button', { name: 'Restore' }).click()
      await expect(notice(page)).toContainText('Chat restored')
      await expect(deletedList(other).getByRole('listitem')).toHaveCount(3)
      await dismissToasts(page)

      const question = page.getByRole('alertdialog')
      await ofRow('Heat pumps').getByRole('button', { name: 'Delete now…' }).press('Enter')
      await expect(question).toHaveAccessibleName('Delete “Heat pumps” for good?')
      await axe(page)
      await question.getByRole('button', { name: 'Cancel' }).press('Enter')
      await expect(question).toHaveCount(0)
      await expect(rows).toHaveCount(3)
      await expect(ofRow('Heat pumps').getByRole('button', { name: 'Delete now…' })).toBeFocused()
      await page.keyboard.press('Enter')
      await question.getByRole('button', { name: 'Delete' }).press('Enter')
      await expect(notice(page)).toContainText('Chat deleted for good')
      for (const tab of [page, other])
        await expect(deletedList(tab).getByRole('listitem')).toContainText([
          'Birthday speech',
          'Packing list',
        ])
      await selectAll(page).check()
      await axe(page)
      await page
        .getByRole('button', { name: 'Delete now…', exact: true })
        .and(page.getByText('Delete now…'))
        .click()
      await expect(question).toHaveAccessibleName('Delete 2 chats for good?')
      await question.getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByText('Nothing was deleted in the last 30 days.')).toBeVisible()
      await expect(other.getByText('Nothing was deleted in the last 30 days.')).toBeVisible()
      await dismissToasts(page)
      await axe(page)
      await openList(page)
      await expect(today(page)).toHaveText(['Sourdough'])
    })

  test('the link of a deleted chat and its running reply end at once, and the other tab says so', async ({
    page,
    context,
    model,
    problems,
  }) => {
    problems.allow(/404/)
    model.reply(['An answer.', { finish: 'stop' }])
    await send(page, 'What is tidal energy?')
    await expect(page.getByText('An answer.', { exact: true })).toBeVisible()
    const { pathname } = new URL(page.url())
    const { shareId } = await callApi<{ shareId: string }>(
      page,
      'POST',
      `/api/share/${pathname.split('/')[2]}`,
      {},
    )
    const gate = model.gate()
    model.reply(['It goes on', gate, { finish: 'stop' }])
    await writeMessage(page, 'And then?')
    const other = await openTab(context, pathname)
    await expect(other.getByText('It goes on', { exact: true })).toBeVisible()
    await expect(stopButton(other)).toBeVisible()
    await input(other).fill('Not to be lost')
    const request = model.requests.at(-1)!

    await openList(page)
    await row(page, /^What is tidal/).focus()
    await page.keyboard.press('Delete')
    await expect(gone(other)).toBeVisible()
    await expect(input(other)).toHaveCount(0)
    // The model's answer is not read to its end.
    expect(await request.done).toBe(false)
    gate.open()
    const reader = await openTab(context, `/share/${shareId}`)
    await expect(reader.getByText('Chat Not Found')).toBeVisible()

    await undo(page).click()
    await expect(other.getByText('An answer.', { exact: true })).toBeVisible()
    await expect(other.getByText('It goes on', { exact: true })).toBeVisible()
    await expect(stopButton(other)).toHaveCount(0)
    await expect(input(other)).toHaveValue('Not to be lost')
    await reader.reload()
    await expect(reader.getByText('An answer.', { exact: true })).toBeVisible()
  })

  for (const { look, ...window } of looks)
    test(`a deleted chat that is opened by its address says what it is, and is restored there: ${look}`, async ({
      page,
      user,
      product,
      axe,
      problems,
    }) => {
      problems.expect(/404/)
      const id = await writeLongChat(product.dataDir, user.email, 4)
      await setLook(page, window)
      await callApi(page, 'PATCH', '/api/chats', { chats: [id], change: { deleted: true } })
      await page.goto(`/chat/${id}`)
      await expect(gone(page)).toBeVisible()
      await axe(page)
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect(page.getByRole('article').last()).toContainText('Answer 2')

      await callApi(page, 'PATCH', '/api/chats', { chats: [id], change: { deleted: true } })
      await expect(gone(page)).toBeVisible()
      await callApi(page, 'POST', '/api/chats/purge', { chats: [id] })
      await expect(page.getByRole('heading', { name: 'This chat was deleted for good' })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0)
      await axe(page)
      // Opened again, it is like one that never was.
      await page.goto(`/chat/${id}`)
      await expect(page).toHaveURL('/')
    })

  test('undoing says so when another tab has deleted the chat for good', async ({
    page,
    user,
    product,
    problems,
  }) => {
    problems.expect(/404/)
    await writeChats(product.dataDir, user.email, someChats())
    await openList(page)
    await row(page, 'Sourdough').focus()
    await page.keyboard.press('Delete')
    await expect(undo(page)).toBeVisible()
    await callApi(page, 'POST', '/api/chats/purge', { chats: 'all' })
    await undo(page).click()
    await expect(page.getByRole('alert', { name: 'Errors' })).toContainText(
      'The chat was not restored: There is nothing to restore: what was deleted for good is gone.',
    )
    await expect(today(page)).toHaveText(titles.slice(1))
  })

  test('two tabs select all chats and delete them, and either brings all back', async ({
    page,
    context,
    user,
    product,
  }) => {
    await writeChats(product.dataDir, user.email, someChats())
    await openList(page)
    const other = await openTab(context, '/')
    for (const tab of [page, other]) {
      await row(tab, 'Sourdough').focus()
      await tab.keyboard.press('ControlOrMeta+a')
    }
    await Promise.all([page, other].map((tab) => tab.keyboard.press('Delete')))
    for (const tab of [page, other]) await expect(today(tab)).toHaveCount(0)
    await page.goto('/deleted')
    await expect(deletedList(page).getByRole('listitem')).toHaveCount(4)
    await selectAll(page).check()
    await page.getByRole('button', { name: 'Restore' }).and(page.locator(':not(li *)')).click()
    await expect(today(other)).toHaveText(titles)
  })

  test('the legal pages say what can be deleted (§1.9)', async ({ page, account: _ }) => {
    for (const path of ['/terms', '/privacy']) {
      await page.goto(path)
      await expect(page.getByRole('main')).toContainText('You can delete your chats by yourself')
    }
  })
})

test('where users may not delete, archiving is offered instead (§1.9)', async ({ page, user, product }) => {
  await writeChats(product.dataDir, user.email, someChats())
  await openList(page)
  await row(page, 'Sourdough').hover()
  await page.getByRole('button', { name: 'Actions for Sourdough' }).click()
  await expect(item(page, /^Archive$/)).toBeVisible()
  await expect(item(page, /^Delete/)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await row(page, 'Sourdough').focus()
  await page.keyboard.press('Delete')
  await page.keyboard.press(' ')
  await expect(list(page).getByRole('button', { name: 'Archive' })).toBeVisible()
  await expect(list(page).getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await page.keyboard.press('Delete')
  await list(page).getByRole('button', { name: 'Archive' }).click()
  await expect(notice(page)).toContainText('Chat archived')
  await expect(today(page)).toHaveText(titles.slice(1))
  await page.getByRole('button', { name: 'Show only' }).click()
  await expect(item(page, 'Recently deleted')).toHaveCount(0)
  await item(page, 'Archived').click()
  const archived = page.getByRole('list', { name: 'Archived' })
  await expect(archived).toContainText('Sourdough')
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  for (const path of ['/terms', '/privacy']) {
    await page.goto(path)
    await expect(page.getByRole('main')).toContainText('by yourself is not available')
    await expect(page.getByRole('main')).not.toContainText('You can delete')
  }
})
