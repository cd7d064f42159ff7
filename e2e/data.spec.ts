import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { makeZip } from '../server/testing/files/make-zip.ts'
import { openTab } from './support/chat-page.ts'
import { writeChats } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const main = (page: Page) => page.getByRole('main')
const question = (page: Page) => page.getByRole('alertdialog')

/** Chooses files as a user does, in the dialog of the browser that `press` opens. */
async function choose(page: Page, files: ReturnType<typeof chatgptExport>[], press: () => Promise<void>) {
  const chooser = page.waitForEvent('filechooser')
  await press()
  await (await chooser).setFiles(files)
}

/** An export of ChatGPT with so many chats, and with some that nobody can read. */
function chatgptExport({ chats, broken = 0, first = 1 }: { chats: number; broken?: number; first?: number }) {
  const list = Array.from({ length: chats }, (_, index) => conversation(first + index))
  const bad = Array.from({ length: broken }, (_, index) => ({
    id: `bad-${index}`,
    title: `Broken ${index + 1}`,
    create_time: 1_750_000_000,
    mapping: null,
  }))
  const buffer = makeZip([{ name: 'conversations.json', data: JSON.stringify([...list, ...bad]) }])
  return { name: 'chatgpt.zip', mimeType: 'application/zip', buffer }
}

function conversation(number: number) {
  const time = 1_700_000_000 + number * 86_400
  const node = (name: string, parent: string | null, role: string, text: string) => ({
    id: `${name}-${number}`,
    parent: parent && `${parent}-${number}`,
    children: [],
    message: {
      id: `${name}-${number}`,
      author: { role, name: null, metadata: {} },
      create_time: time,
      content: { content_type: 'text', parts: [text] },
      status: 'finished_successfully',
      weight: 1,
      metadata: {},
      recipient: 'all',
    },
  })
  const nodes = [
    node('user', null, 'user', `Question ${number}`),
    node('reply', 'user', 'assistant', `Answer ${number}`),
  ]
  return {
    id: `chat-${number}`,
    conversation_id: `chat-${number}`,
    title: `Imported ${number}`,
    create_time: time,
    update_time: time,
    mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
    current_node: `reply-${number}`,
  }
}

/** Expects that no control of the page is lower than 40 pixels. A checkbox has its label. */
async function expectLargeControls(page: Page): Promise<void> {
  const controls = main(page)
    .locator('button, select, input[type=checkbox] + div > label')
    .filter({ visible: true })
  const heights = await controls.evaluateAll((elements) =>
    elements.map((element) => [element.textContent, element.getBoundingClientRect().height] as const),
  )
  expect(heights.filter(([, height]) => height < 40)).toEqual([])
}

async function openData(page: Page): Promise<void> {
  // Otherwise a key that is pressed at once opens the browser's own dialog, before `choose` waits for it.
  page.on('filechooser', () => undefined)
  await page.goto('/settings/data')
  await expect(button(page, 'Choose files')).toBeVisible()
}

test.describe('where users help themselves', () => {
  test.use({ installation: 'self-service' })

  for (const { look, ...window } of looks)
    test(`a user of ChatGPT moves in, sees what comes before it comes, and twice adds nothing: ${look}`, async ({
      page,
      context,
      user: _user,
      axe,
    }) => {
      await setLook(page, window)
      await openData(page)
      await axe(page)
      await expectNoSidewaysScroll(page)
      const file = chatgptExport({ chats: 12, broken: 7 })
      await choose(page, [file], () => button(page, 'Choose files').click())
      await expect(button(page, 'Import 12 chats')).toBeFocused()
      await expect(main(page)).toContainText('chatgpt.zip · ChatGPT')
      await expect(main(page)).toContainText('2023-11-15 to 2023-11-26')
      await expect(
        page.getByRole('list', { name: 'Chats that cannot be read' }).getByRole('listitem'),
      ).toHaveCount(5)
      await button(page, 'Show all 7').click()
      await expect(
        page.getByRole('list', { name: 'Chats that cannot be read' }).getByRole('listitem'),
      ).toHaveCount(7)
      await axe(page)
      await expectNoSidewaysScroll(page)

      const other = await openTab(context, '/settings/data')
      await expect(button(other, 'Import 12 chats')).toBeVisible()
      await button(page, 'Import 12 chats').click()
      await expect(main(page)).toContainText('12 chats are in.')
      await page.reload()
      await expect(main(page)).toContainText('12 chats are in.')
      await expect(main(page)).toContainText('7 chats were not imported.')
      await axe(page)
      await expectNoSidewaysScroll(page)
      const download = page.waitForEvent('download')
      await button(page, 'List of failures').click()
      expect(await readFile(await (await download).path(), 'utf8')).toMatch(/^Broken 1: .+\n(.+\n){6}$/)
      await other.bringToFront()
      await other.reload()
      await expect(main(other)).toContainText('12 chats are in.')

      await choose(page, [file], () => button(page, 'Choose other files').click())
      await expect(main(page)).toContainText(
        'There is nothing new in it: all chats that can be read are here already.',
      )
      await axe(page)
      await button(page, 'Cancel').click()
      await expect(button(page, 'Choose files')).toBeFocused()
    })

  test('the imported chats are in a project, and read as they were', async ({ page, user: _user }) => {
    await openData(page)
    await choose(page, [chatgptExport({ chats: 3 })], () => button(page, 'Choose files').click())
    await button(page, 'Import 3 chats').click()
    await page.getByRole('link', { name: 'Show them' }).click()
    await expect(page.getByRole('heading', { name: 'ChatGPT' })).toBeVisible()
    await main(page)
      .getByRole('link', { name: /^Imported 2/ })
      .click()
    await expect(page.getByRole('article', { name: 'You' })).toContainText('Question 2')
    await expect(page.getByRole('article', { name: 'Reply' })).toContainText('Answer 2')
  })

  test('on a phone every control can be hit with a finger', async ({ account: user, openDevice }) => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const page = await openDevice(user, '/settings/data', phone)
    await expect(page.getByText('Bring in an export')).toBeVisible()
    await expectLargeControls(page)
    await choose(page, [chatgptExport({ chats: 2, broken: 7 })], () => button(page, 'Choose files').tap())
    await expect(button(page, 'Import 2 chats')).toBeVisible()
    await expectLargeControls(page)
    await button(page, 'Import 2 chats').tap()
    await expect(button(page, 'List of failures')).toBeVisible()
    await expectLargeControls(page)
  })

  test('an import is done with the keyboard alone, and is not left without a focus', async ({
    page,
    user: _user,
  }) => {
    await openData(page)
    await button(page, 'Choose files').focus()
    await choose(page, [chatgptExport({ chats: 2 })], () => page.keyboard.press('Enter'))
    await expect(button(page, 'Import 2 chats')).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(button(page, 'Choose files')).toBeFocused()
    await choose(page, [chatgptExport({ chats: 2 })], () => page.keyboard.press('Space'))
    await expect(button(page, 'Import 2 chats')).toBeFocused()
    await page.keyboard.press('Shift+Tab')
    await expect(page.getByRole('checkbox', { name: 'Put them into a project “ChatGPT”' })).toBeFocused()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(main(page)).toContainText('2 chats are in.')
    await expect(button(page, 'Choose other files')).toBeFocused()
    await expect(page.getByRole('link', { name: 'Show them' })).toHaveAttribute('href', '/')
  })

  test('files are dropped anywhere on the page, and a page of another kind of file says what was expected', async ({
    page,
    user: _user,
    axe,
  }) => {
    await openData(page)
    const drop = (type: string) =>
      page.evaluate((name) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['Not an export'], 'holiday.zip', { type: 'application/zip' }))
        document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }))
      }, type)
    await drop('dragenter')
    await expect(page.getByText('Drop to look into it')).toBeVisible()
    await axe(page)
    await drop('drop')
    await expect(page.getByText('Nothing could be imported.')).toBeVisible()
    await axe(page)
    await choose(page, [chatgptExport({ chats: 1 })], () => button(page, 'Choose another file').click())
    await expect(button(page, 'Import 1 chat')).toBeVisible()
  })

  test('an upload that fails is tried again, and one that a reload has ended is begun again', async ({
    page,
    context,
    user: _user,
    problems,
    axe,
  }) => {
    problems.allow(/Failed to load resource|Error uploading an export|ERR_FAILED/)
    await openData(page)
    const sending = '**/api/imports/*/files/*'
    await page.route(sending, (route) => route.abort())
    await choose(page, [chatgptExport({ chats: 2 })], () => button(page, 'Choose files').click())
    await expect(page.getByText('chatgpt.zip could not be uploaded.')).toBeVisible()
    await axe(page)
    // From here on the file arrives nowhere.
    await page.unroute(sending)
    await page.route(sending, () => undefined)
    await expect(button(page, 'Try again')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText(/^Uploading/).last()).toBeVisible()
    const other = await openTab(context, '/settings/data')
    await expect(other.getByText(/goes on in the tab in which it began/)).toBeVisible()
    await axe(other)
    await page.reload()
    await expect(button(page, 'Choose the files again')).toBeVisible()
    await page.unroute(sending)
    await choose(page, [chatgptExport({ chats: 2 })], () => button(page, 'Choose the files again').click())
    await expect(button(page, 'Import 2 chats')).toBeVisible()
  })

  for (const { look, ...window } of looks)
    test(`a running import is left and found again, and stops after a question with what is in: ${look}`, async ({
      page,
      user: _user,
      axe,
    }) => {
      await setLook(page, window)
      await openData(page)
      await choose(page, [chatgptExport({ chats: 4_000 })], () => button(page, 'Choose files').click())
      await button(page, 'Import 4,000 chats').click()
      await expect(main(page)).toContainText(/[\d,]+ of 4,000 chats\. You can leave this page\./)
      await page.goto('/')
      await page.goto('/settings/data')
      await button(page, 'Cancel').press('Enter')
      await expect(question(page)).toHaveAccessibleName('Stop the import?')
      await axe(page)
      await question(page).getByRole('button', { name: 'Stop' }).click()
      await expect(page.getByText('The import was cancelled.').last()).toBeVisible()
      await expect(main(page)).toContainText(/[\d,]+ chats are in\. Show them/)
      await expect(button(page, 'Choose files')).toBeFocused()
      await axe(page)
      await expectNoSidewaysScroll(page)
    })

  for (const { look, ...window } of looks)
    test(`everything is prepared as a ZIP and downloaded: ${look}`, async ({ page, user, product, axe }) => {
      await writeChats(product.dataDir, user.email, [
        { id: `e-${Date.now()}`, title: 'Heat pumps', updated_at: Date.now() },
      ])
      await setLook(page, window)
      await openData(page)
      await button(page, 'Prepare').press('Enter')
      await expect(button(page, 'Download')).toBeFocused()
      await axe(page)
      await expectNoSidewaysScroll(page)
      const download = page.waitForEvent('download')
      await page.keyboard.press('Enter')
      const saved = await download
      expect(saved.suggestedFilename()).toMatch(/^yonder-.*\.zip$/)
      expect((await readFile(await saved.path())).subarray(0, 2).toString()).toBe('PK')
    })

  for (const { look, ...window } of looks)
    test(`one chat is exported from its menu as Markdown, JSON or on paper: ${look}`, async ({
      page,
      user,
      product,
      axe,
    }) => {
      const id = `c-${Date.now()}`
      await writeChats(product.dataDir, user.email, [{ id, title: 'Heat pumps', updated_at: Date.now() }])
      await setLook(page, window)
      await page.addInitScript(() => {
        globalThis.print = () => document.documentElement.setAttribute('data-printed', '')
      })
      await page.goto('/')
      await openDialog(page)
      await axe(page)
      await expect(page.getByRole('radio', { name: /^Markdown/ })).toBeFocused()
      await page.getByRole('checkbox', { name: 'With files' }).uncheck()
      expect(await exportOf(page)).toMatch(/\.md$/)
      await openDialog(page)
      await page.getByRole('radio', { name: /^JSON/ }).check()
      expect(await exportOf(page)).toMatch(/\.json$/)

      await openDialog(page)
      await page.getByRole('radio', { name: /^PDF or paper/ }).check()
      await button(page, 'Print').click()
      await expect(page).toHaveURL(`/chat/${id}`)
      await expect(page.locator('html[data-printed]')).toHaveCount(1)
      await page.reload()
      await expect(page.locator('main')).toBeVisible()
      await expect(page.locator('html[data-printed]')).toHaveCount(0)
      await dismissToasts(page)
    })
})

const chatLink = (page: Page) =>
  page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'Heat pumps' })

/** Opens the menu of the chat with the keyboard alone. */
async function openMenu(page: Page): Promise<void> {
  const list = page.getByRole('navigation', { name: 'Chats' })
  if (!(await list.isVisible())) await page.getByRole('button', { name: 'Chats', exact: true }).press('Enter')
  await chatLink(page).focus()
  await page.keyboard.press('Shift+F10')
}

async function openDialog(page: Page): Promise<void> {
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Export…' }).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Export this chat' })).toBeVisible()
}

/** Exports with the Enter key, and returns the name of the file. */
async function exportOf(page: Page): Promise<string> {
  const download = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const saved = await download
  await expect(page.getByRole('dialog', { name: 'Export this chat' })).toHaveCount(0)
  await expect(chatLink(page)).toBeFocused()
  return saved.suggestedFilename()
}

test('where users do not help themselves, chats come in, and leave only on paper', async ({
  page,
  user,
  product,
}) => {
  await writeChats(product.dataDir, user.email, [
    { id: `p-${Date.now()}`, title: 'Heat pumps', updated_at: Date.now() },
  ])
  await openData(page)
  await expect(page.getByRole('heading', { name: 'Import' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Export' })).toHaveCount(0)
  await page.goto('/')
  await openMenu(page)
  await expect(page.getByRole('menuitem', { name: 'Share' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Export…' })).toHaveCount(0)
})
