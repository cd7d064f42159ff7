import type { Locator, Page } from '@playwright/test'
import { expect, looks, test } from './support/fixtures.ts'
import { modelServerKey, startModelServer, type ModelServer } from './support/model-server.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

let provider: ModelServer

test.beforeAll(async () => {
  provider = await startModelServer()
})
test.afterAll(() => provider.close())

const row = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name })

async function openAdd(page: Page): Promise<Locator> {
  await page.goto('/settings/bots')
  await page.getByRole('button', { name: 'Add Bot' }).click()
  return page.getByRole('dialog', { name: 'Add New Bot' })
}

async function fillAddress(dialog: Locator): Promise<void> {
  await dialog.getByLabel('Provide your own key').check()
  await dialog.getByLabel('Base URL').fill(provider.url)
  await dialog.getByLabel('API key').fill(modelServerKey)
}

const suggestions = (dialog: Locator) =>
  dialog
    .getByLabel('Model *')
    .evaluate((input) => [...((input as HTMLInputElement).list?.options ?? [])].map(({ value }) => value))

const works = /The model replied in \d+\.\d s, streams its replies and accepts tools\./

test('a user gives a bot instructions and options, which are still there after a reload and cleared with their checkbox', async ({
  page,
  account: _,
}) => {
  const dialog = await openAdd(page)
  await dialog.getByLabel('Name *').fill('Told')
  await dialog.getByLabel('Model *').fill('demo')
  await dialog.getByLabel('Optional settings').check()
  await dialog.getByLabel('Instructions').fill('You help {{user}}.\nToday is {{date}}.')
  await dialog.getByLabel('Temperature').fill('0.7')
  await dialog.getByLabel('Reasoning effort').selectOption('High')
  await dialog.getByLabel('Context window').fill('8000')
  await dialog.getByLabel('Pictures').selectOption('Yes')
  await dialog.getByLabel('PDF files').selectOption('No')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Bot "Told" added successfully')).toBeVisible()
  await page.reload()
  await row(page, 'Told').getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Bot' })
  await expect(edit.getByLabel('Instructions')).toHaveValue('You help {{user}}.\nToday is {{date}}.')
  await expect(edit.getByLabel('Temperature')).toHaveValue('0.7')
  await expect(edit.getByLabel('Reasoning effort')).toHaveValue('high')
  await expect(edit.getByLabel('Context window')).toHaveValue('8000')
  await expect(edit.getByLabel('Pictures')).toHaveValue('yes')
  await expect(edit.getByLabel('PDF files')).toHaveValue('no')
  await edit.getByLabel('Optional settings').uncheck()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Bot "Told" updated successfully')).toBeVisible()
  await row(page, 'Told').getByRole('button', { name: 'Edit' }).click()
  await expect(edit.getByLabel('Optional settings')).not.toBeChecked()
})

test('a user sees the models of a provider, tests the bot, and reads what is wrong after a mistake', async ({
  page,
  account: _,
}) => {
  const dialog = await openAdd(page)
  await fillAddress(dialog)
  await dialog.getByLabel('Model *').click()
  await expect(dialog.getByText('2 models are suggested.')).toBeVisible()
  expect(await suggestions(dialog)).toEqual(['small-model', 'tall-model'])
  await dialog.getByLabel('Model *').fill('small-model')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByText(works)).toBeVisible()
  expect(provider.replyRequests.at(-1)).toMatchObject({
    model: 'small-model',
    messages: [{ role: 'user', content: 'Reply with OK.' }],
  })

  await dialog.getByLabel('API key').fill('sk-wrong')
  await expect(dialog.getByText(works)).toBeHidden()
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByText(/refused the API key \(401\): No such key\. Check the API key/)).toBeVisible()

  await dialog.getByLabel('API key').fill(modelServerKey)
  await dialog.getByLabel('Optional settings').check()
  await dialog.getByLabel('Custom API path').fill('/wrong')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(
    dialog.getByText(/has nothing at this path \(404\): Not Found\. Check the base URL and the API path\./),
  ).toBeVisible()
})

test('a user edits a bot and tests it with the stored key, which no other address gets', async ({
  page,
  account: _,
}) => {
  const dialog = await openAdd(page)
  await dialog.getByLabel('Name *').fill('Keyed')
  await dialog.getByLabel('Model *').fill('small-model')
  await fillAddress(dialog)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await row(page, 'Keyed').getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Bot' })
  await edit.getByRole('button', { name: 'Test' }).click()
  await expect(edit.getByText(works)).toBeVisible()
  await edit.getByLabel('Base URL').fill(provider.url.replace('127.0.0.1', 'localhost'))
  await edit.getByRole('button', { name: 'Test' }).click()
  await expect(edit.getByText(/requires an API key, and this bot has none/)).toBeVisible()
})

test('a user closes the dialog while a test runs, and no result appears later', async ({
  page,
  account: _,
}) => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/bot/test', async (route) => {
    await released
    await route.fulfill({ json: { works: true, message: 'Too late.' } }).catch(() => undefined)
  })
  const dialog = await openAdd(page)
  await dialog.getByLabel('Model *').fill('demo')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByRole('button', { name: 'Testing...' })).toHaveAttribute('aria-busy', 'true')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  release()
  await page.getByRole('button', { name: 'Add Bot' }).click()
  await expect(dialog.getByRole('button', { name: 'Test' })).toBeVisible()
  await expect(dialog.getByText('Too late.')).toHaveCount(0)
})

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('a user with an Ollama adds one of its models with the keyboard, in an accessible form', async ({
      page,
      account: _,
      axe,
    }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
      const models = ['llama3.3:70b', 'qwen3:8b', `${'very-long-name-'.repeat(12)}1`]
      await page.route('**/api/bot/local-models', (route) =>
        route.fulfill({ json: { local: { base_url: provider.url, models } } }),
      )
      const dialog = await openAdd(page)
      await expect(dialog.getByRole('heading', { name: /^Models of Ollama at / })).toBeVisible()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await dialog.getByLabel('Name *').focus()
      await page.keyboard.type('Local')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await expect(dialog.getByRole('button', { name: 'qwen3:8b' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(dialog.getByLabel('Model *')).toHaveValue('qwen3:8b')
      await expect(dialog.getByLabel('Base URL')).toHaveValue(provider.url)

      await dialog.getByLabel('Optional settings').check()
      await dialog.getByLabel('Instructions').fill('A line.\n'.repeat(30))
      await dialog.getByRole('button', { name: 'Test' }).focus()
      await page.keyboard.press('Enter')
      // The provider requires a key, which an Ollama does not.
      await expect(dialog.getByText(/requires an API key, and this bot has none/)).toBeInViewport()
      await expect(dialog.getByRole('button', { name: 'Test' })).toBeFocused()
      await expect(dialog.getByRole('button', { name: 'Save' })).toBeInViewport()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await dialog.getByLabel('Context window').scrollIntoViewIfNeeded()
      await axe(page)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard' }).click()
      await expect(dialog).toBeHidden()
    })
  })
}
