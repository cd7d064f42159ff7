import type { Locator, Page } from '@playwright/test'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { test } from './support/tools-fixtures.ts'

const question = (page: Page) => page.getByRole('alertdialog', { name: 'Discard changes?' })
const keep = (page: Page) => question(page).getByRole('button', { name: 'Keep editing' })
const discard = (page: Page) => question(page).getByRole('button', { name: 'Discard' })
const clickBeside = (page: Page) => page.mouse.click(5, 5)

/** Counts the requests that change something. */
function countWrites(page: Page): () => number {
  let writes = 0
  page.on('request', (request) => {
    // The list of models is read with a body.
    const isRead = request.method() === 'GET' || request.url().endsWith('/api/bot/models')
    if (!isRead) writes += 1
  })
  return () => writes
}

interface Form {
  readonly dialog: string
  readonly path: string
  readonly open: (page: Page) => Promise<void>
  readonly field: (dialog: Locator) => Locator
}

const forms: readonly Form[] = [
  {
    dialog: 'Add New Bot',
    path: '/settings/bots',
    open: (page) => page.getByRole('button', { name: 'Add Bot' }).click(),
    field: (dialog) => dialog.getByLabel('Name *'),
  },
  {
    dialog: 'Edit Bot',
    path: '/settings/bots',
    open: (page) => page.getByRole('button', { name: 'Edit' }).first().click(),
    field: (dialog) => dialog.getByLabel('Model *'),
  },
  {
    dialog: 'Add New Connector',
    path: '/settings/connectors',
    open: (page) => page.getByRole('button', { name: 'Add Connector' }).click(),
    field: (dialog) => dialog.getByLabel('URL *'),
  },
]

for (const { dialog: name, path, open, field } of forms)
  test(`'${name}' asks before it closes with a changed text, and saves nothing (§4.30)`, async ({
    page,
    account: _,
  }) => {
    const writes = countWrites(page)
    await page.goto(path)
    const dialog = page.getByRole('dialog', { name })
    await open(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)

    await open(page)
    const before = await field(dialog).inputValue()
    await field(dialog).fill('typed by hand')
    await page.keyboard.press('Escape')
    await expect(keep(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
    await expect(field(dialog)).toHaveValue('typed by hand')
    await expect(field(dialog)).toBeFocused()

    await clickBeside(page)
    await keep(page).click()
    await expect(field(dialog)).toHaveValue('typed by hand')

    await field(dialog).fill(before)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)

    await open(page)
    await field(dialog).fill('typed by hand')
    await clickBeside(page)
    await discard(page).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByText('typed by hand')).toHaveCount(0)
    expect(writes()).toBe(0)
  })

test('the question works with the keyboard alone, and the focus returns to the button of the form', async ({
  page,
  account: _,
}) => {
  await page.goto('/settings/bots')
  const add = page.getByRole('button', { name: 'Add Bot' })
  await add.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Half a bot')
  for (let times = 0; times < 3; times += 1) {
    await page.keyboard.press('Escape')
    await expect(keep(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
    await expect(page.getByLabel('Name *')).toHaveValue('Half a bot')
  }
  await page.keyboard.press('Escape')
  await expect(keep(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(add).toBeFocused()
})

test("'Configure' asks before it closes with an unsaved list of allowed tools (§2.71)", async ({
  page,
  account: _,
}) => {
  const writes = countWrites(page)
  await page.goto('/settings/connectors')
  await page.getByRole('button', { name: 'Configure' }).first().click()
  await page.getByRole('button', { name: 'Manage' }).click()
  await page.getByLabel('Run every tool without asking').check()
  await page.keyboard.press('Escape')
  await keep(page).click()
  await expect(page.getByLabel('Run every tool without asking')).toBeChecked()
  await page.keyboard.press('Escape')
  await discard(page).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(writes()).toBe(0)
})

test('Escape asks before it discards an edited message', async ({ page, model }) => {
  model.reply(['Hello.', { finish: 'stop' }])
  await writeMessage(page, 'hello')
  await expect(page.getByText('Hello.', { exact: true })).toBeVisible()
  await expect(sendButton(page)).toBeVisible()
  const message = page.getByRole('article', { name: 'You' })
  await message.hover()
  await message.getByRole('button', { name: 'Edit message' }).click()
  const editor = page.getByRole('form', { name: 'Edit message' }).getByRole('textbox')
  await editor.fill('a long second thought')
  await editor.press('Escape')
  await expect(keep(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(editor).toHaveValue('a long second thought')
  await expect(editor).toBeFocused()
  await editor.press('Escape')
  await discard(page).click()
  await expect(editor).toHaveCount(0)
  await expect(message).toContainText('hello')
})

test('Escape during a slow save asks before it closes the form, which is saved all the same', async ({
  page,
  account: _,
}) => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/bot', async (route) => {
    if (route.request().method() === 'POST') await answered
    await route.continue()
  })
  await page.goto('/settings/bots')
  const add = page.getByRole('button', { name: 'Add Bot' })
  await add.click()
  await page.getByLabel('Name *').fill('Slow')
  await page.getByLabel('Model *').fill('some-model')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Saving...' })).toBeVisible()
  await page.keyboard.press('Escape')
  const whileSaving = page.getByRole('alertdialog', { name: 'Close while saving?' })
  await expect(whileSaving.getByRole('button', { name: 'Keep open' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(whileSaving).toHaveCount(0)
  await expect(page.getByLabel('Name *')).toHaveValue('Slow')

  await page.keyboard.press('Escape')
  await expect(whileSaving).toBeVisible()
  answer()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByText('Bot "Slow" added successfully')).toBeVisible()
  await expect(add).toBeFocused()
})

test.describe('integrations', () => {
  test.use({ installation: 'google' })

  test('the form of an integration and the box of its key ask before they close with a typed key', async ({
    page,
    account: _,
  }) => {
    const writes = countWrites(page)
    await page.goto('/settings/integrations')
    await page.getByRole('button', { name: 'Add Integration' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add New Integration' })
    await dialog.getByLabel('Integration *').selectOption('tavily')
    await dialog.getByLabel('API Key *').fill('a-key-0123456789')
    await page.keyboard.press('Escape')
    await keep(page).click()
    await expect(dialog.getByLabel('API Key *')).toHaveValue('a-key-0123456789')
    expect(writes()).toBe(0)
    await dialog.getByRole('button', { name: 'Add Integration' }).click()
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'Update API Key' }).click()
    const box = page.getByPlaceholder('Enter API Key')
    await box.press('Escape')
    await expect(box).toHaveCount(0)
    await page.getByRole('button', { name: 'Update API Key' }).click()
    await box.fill('another-0123456789')
    await box.press('Escape')
    await keep(page).click()
    await expect(box).toHaveValue('another-0123456789')
    await box.press('Escape')
    await discard(page).click()
    await expect(box).toHaveCount(0)
    expect(writes()).toBe(1)
  })
})

for (const { look, viewport, colorScheme } of looks)
  test(`the question is accessible: ${look}`, async ({ page, account: _, axe }) => {
    await page.goto('/settings/bots')
    await setLook(page, { viewport, colorScheme })
    await page.getByRole('button', { name: 'Add Bot' }).click()
    await page.getByLabel('Name *').fill('Half a bot')
    await page.keyboard.press('Escape')
    await expect(keep(page)).toBeVisible()
    await axe(page)
  })
