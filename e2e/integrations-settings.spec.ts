import { expect, looks } from './support/fixtures.ts'
import {
  addWithConsent,
  addWithKey,
  cardOf,
  openIntegrations,
  selectNew,
  test,
} from './support/integrations-fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll, recordResponses } from './support/page-checks.ts'

const key = 'tvly-dev-0123456789-wxyz'

test('a user adds Gmail, allows access at Google, and Gmail is connected (§2.75, §2.76, §2.89, §2.93, §4.28, §7.20, §7.21, §7.22, §7.25, §7.26)', async ({
  page,
  account: _,
  google,
}) => {
  await openIntegrations(page)
  await expect(page.getByText('Manage your external service integrations')).toBeVisible()
  await expect(page.getByText('No integrations available')).toBeVisible()
  await addWithConsent(page, 'Gmail')
  await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Gmail Integration' })).toBeVisible()
  await expect(page).toHaveTitle('Gmail Integration · Yonder')
  await expect(page).toHaveURL('/settings/integrations')
  await expect(cardOf(page, 'Gmail').getByText('Connected', { exact: true })).toBeVisible()
  expect(google.consents.at(-1)?.searchParams.get('redirect_uri')).toMatch(/\/callback\/gmail$/)
})

test('a user who denied access at first can connect later (§2.81, §4.29)', async ({
  page,
  account: _,
  google,
  problems,
}) => {
  problems.expect(/No authorization code found/)
  google.behaviour.consent = 'deny'
  await openIntegrations(page)
  await addWithConsent(page, 'Google Calendar')
  await expect(page.getByText('You did not allow access, so nothing was connected.')).toBeVisible()
  await expect(page).toHaveURL('/settings/integrations')
  await expect(cardOf(page, 'Google Calendar').getByText('Connected', { exact: true })).toHaveCount(0)
  google.behaviour.consent = 'grant'
  await cardOf(page, 'Google Calendar').getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByText('Google Calendar connected successfully!')).toBeVisible()
  await expect(cardOf(page, 'Google Calendar').getByText('Connected', { exact: true })).toBeVisible()
})

test('a user disconnects, which revokes the access at Google too, and can connect again (§2.79, §2.82, §7.24, §8.33)', async ({
  page,
  account: _,
  google,
}) => {
  await openIntegrations(page)
  await addWithConsent(page, 'Gmail')
  const card = cardOf(page, 'Gmail')
  await card.getByRole('button', { name: 'Disconnect' }).click()
  const question = page.getByRole('alertdialog', { name: 'Disconnect Gmail' })
  await expect(
    question.getByText(
      'Are you sure you want to disconnect Gmail? You will need to re-authenticate to use it again.',
    ),
  ).toBeVisible()
  await question.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('Gmail disconnected successfully')).toBeVisible()
  await expect(card.getByRole('button', { name: 'Connect' })).toBeFocused()
  await expect.poll(() => google.revocations.length).toBe(1)
  await page.reload()
  await expect(card.getByRole('button', { name: 'Connect' })).toBeVisible()
  await expect(card.getByText('Connected', { exact: true })).toHaveCount(0)
})

test('the card lists the permissions that were not granted', async ({ page, account: _, google }) => {
  google.behaviour.uncheckedScopes = ['https://www.googleapis.com/auth/calendar.calendarlist.readonly']
  await openIntegrations(page)
  await addWithConsent(page, 'Google Calendar')
  const card = cardOf(page, 'Google Calendar')
  await expect(card.getByText(/You did not allow Yonder to see the list of calendars/)).toBeVisible()
  await expect(card.getByText('Connected', { exact: true })).toBeVisible()
})

test('a user stores an API key, which is never sent back, replaces it and removes it (§2.80, §4.28, §7.23, §8.33, §9.9)', async ({
  page,
  account: _,
}) => {
  await openIntegrations(page)
  const responses = await recordResponses(page, '/api/integrations')
  await addWithKey(page, 'Tavily', key)
  const card = cardOf(page, 'Tavily')
  await expect(card.getByText('tvly••••••••wxyz')).toBeVisible()

  await page.reload()
  await expect(card.getByText('tvly••••••••wxyz')).toBeVisible()
  expect(responses.at(-1)).toContain('tvly••••••••wxyz')
  for (const response of responses) expect(response).not.toContain(key)

  await card.getByRole('button', { name: 'Update API Key' }).click()
  await page.getByPlaceholder('Enter API Key').fill('next-0123456789-last')
  await card.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Tavily API key updated successfully')).toBeVisible()
  await expect(card.getByText('next••••••••last')).toBeVisible()

  await card.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('Tavily disconnected successfully')).toBeVisible()
  await expect(card.getByRole('button', { name: 'Add API Key' })).toBeFocused()
  await page.reload()
  await expect(card.getByRole('button', { name: 'Add API Key' })).toBeVisible()
  await expect(card.getByText('••••')).toHaveCount(0)
})

test('the edit form keeps the stored key until a new one is typed (§2.84, §2.88, §7.23, §8.33)', async ({
  page,
  account: _,
}) => {
  await openIntegrations(page)
  await addWithKey(page, 'Tavily', key)
  const card = cardOf(page, 'Tavily')
  await card.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Integration' })
  await expect(dialog.getByLabel('API Key *')).toBeFocused()
  await expect(dialog.getByLabel('API Key *')).toHaveAttribute('type', 'password')
  await dialog.getByRole('button', { name: 'Update Integration' }).click()
  await expect(page.getByText('Integration "Tavily" updated successfully')).toBeVisible()
  await expect(card.getByText('tvly••••••••wxyz')).toBeVisible()
  await card.getByRole('button', { name: 'Edit' }).click()
  await page.keyboard.type('typed-0123456789-over')
  await page.keyboard.press('Enter')
  await expect(card.getByText('type••••••••over')).toBeVisible()
})

test('the form reports missing fields and does not offer added integrations again (§2.85, §2.87, §5.12, §5.13, §5.14, §5.15)', async ({
  page,
  account: _,
}) => {
  await openIntegrations(page)
  await page.getByRole('button', { name: 'Add Integration' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Integration' })
  const select = dialog.getByLabel('Integration *')
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
  await expect(dialog.getByText('Integration name is required')).toBeVisible()
  await expect(dialog.getByText('Authentication type is required')).toBeVisible()
  await expect(select).toBeFocused()
  await select.selectOption('Gmail')
  await expect(dialog.getByLabel('Authentication Type')).toHaveValue('OAuth (Google Login)')
  await select.selectOption('Brave Search')
  await expect(dialog.getByLabel('Authentication Type')).toHaveValue('API Key')
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
  await expect(dialog.getByText('API key is required for API Key authentication')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await addWithKey(page, 'Tavily', key)
  await addWithKey(page, 'Brave Search', key)
  await page.getByRole('button', { name: 'Add Integration' }).click()
  await expect(select.getByRole('option')).toHaveText(['Select an integration', 'Gmail', 'Google Calendar'])

  await page.route('**/api/integration/types', (route) => route.fulfill({ json: ['tavily'] }))
  await page.reload()
  await page.getByRole('button', { name: 'Add Integration' }).click()
  await expect(page.getByText('All available integrations have already been added.')).toBeVisible()
})

test('the same integration cannot be added in two tabs (§8.27)', async ({ page, account: _, problems }) => {
  problems.expect(/409 \(Conflict\)/)
  problems.expect(/Failed to save integration/)
  await openIntegrations(page)
  const dialog = await selectNew(page, 'Tavily')
  const other = await page.context().newPage()
  await openIntegrations(other)
  await addWithKey(other, 'Tavily', key)
  await other.close()
  await dialog.getByLabel('API Key *').fill('mine')
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
  await expect(page.getByText('Failed to save integration: You have already added Tavily.')).toBeVisible()
  await expect(dialog.getByLabel('API Key *')).toHaveValue('mine')
})

test('when the list cannot be loaded, the page shows an error and can retry (§2.76)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/503/)
  await page.route('**/api/integrations', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto('/settings/integrations')
  await expect(page.getByText('Error loading integrations. Please try again later.')).toBeVisible()
  await page.unroute('**/api/integrations')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No integrations available')).toBeVisible()
})

test("two users do not see each other's integrations", async ({ page, account: _, openAsOther }) => {
  await openIntegrations(page)
  await addWithKey(page, 'Tavily', key)
  const other = await openAsOther('/settings/integrations')
  await expect(other.getByText('No integrations available')).toBeVisible()
})

test('a user manages integrations with the keyboard alone, and the focus is never lost', async ({
  page,
  account: _,
}) => {
  await openIntegrations(page)
  await page.getByRole('button', { name: 'Add Integration' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add New Integration' })
  await expect(dialog.getByLabel('Integration *')).toBeFocused()
  await page.keyboard.type('Tav')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Integration "Tavily" added successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Integration' })).toBeFocused()

  await page.keyboard.press('Tab')
  const update = page.getByRole('button', { name: 'Update API Key' })
  await expect(update).toBeFocused()
  await page.keyboard.press('Space')
  await expect(page.getByPlaceholder('Enter API Key')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(update).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.type('keys-0123456789-more')
  await page.keyboard.press('Enter')
  await expect(page.getByText('keys••••••••more')).toBeVisible()
  await expect(update).toBeFocused()

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Edit Integration' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Edit' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Disconnect Tavily' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Tavily disconnected successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add API Key' })).toBeFocused()
})

const plain = { auth_type: 'api_key', connected: false, api_key: null, notice: null }
const many = [
  { ...plain, name: 'google-gmail', auth_type: 'oauth', notice: 'Google has ended this connection.' },
  { ...plain, name: 'google-calendar', auth_type: 'oauth', connected: true },
  { ...plain, name: 'tavily', connected: true, api_key: 'tvly••••••••wxyz' },
  { ...plain, name: `long-${'without-any-break'.replaceAll('-', '').repeat(10)}` },
  ...Array.from({ length: 16 }, (_, index) => ({ ...plain, name: `service-${index}` })),
]

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test.beforeEach(async ({ page, account: _ }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
    })

    test('the lists, the forms and the confirmation are accessible', async ({ page, account: _, axe }) => {
      await openIntegrations(page)
      await expect(page.getByText('No integrations available')).toBeVisible()
      await axe(page)
      const dialog = await selectNew(page, 'Gmail')
      await axe(page)
      await dialog.getByLabel('Integration *').selectOption('Tavily')
      await dialog.getByRole('button', { name: 'Add Integration' }).click()
      await expect(dialog.getByText('API key is required for API Key authentication')).toBeVisible()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await dialog.getByLabel('API Key *').fill(key)
      await dialog.getByRole('button', { name: 'Add Integration' }).click()
      await expect(page.getByText('Integration "Tavily" added successfully')).toBeVisible()
      await dismissToasts(page)
      await cardOf(page, 'Tavily').getByRole('button', { name: 'Edit' }).click()
      await axe(page)
      await page.keyboard.press('Escape')
      await cardOf(page, 'Tavily').getByRole('button', { name: 'Disconnect' }).click()
      await axe(page)

      // Twenty integrations, in all their states.
      await page.route('**/api/integrations', (route) => route.fulfill({ json: many }))
      await openIntegrations(page)
      await cardOf(page, 'Tavily').getByRole('button', { name: 'Update API Key' }).click()
      await expect(page.getByRole('list', { name: 'Integrations' }).getByRole('listitem')).toHaveCount(20)
      await expectNoSidewaysScroll(page)
      await axe(page)
    })
  })
}
