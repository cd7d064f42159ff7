import { expect } from './support/fixtures.ts'
import { callApi, test } from './support/tools-fixtures.ts'

test('a save and a reconnection read the list once, and so does a change on another device (§9.4, §7.28)', async ({
  page,
  context,
  account: user,
  openDevice,
  problems,
}) => {
  problems.allowOutage()
  const live = page.waitForResponse((response) => response.url().endsWith('/api/live'))
  await page.goto('/settings/bots')
  await live
  const device = await openDevice(user, '/settings/bots')
  const addOnDevice = (name: string) => callApi(device, 'POST', '/api/bot', { name, model: 'demo' })
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await addOnDevice('Start')
  await expect(row('Start')).toBeVisible()
  let reads = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('/api/bots')) reads += 1
  })

  await page.getByRole('button', { name: 'Add Bot' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Bot' })
  await dialog.getByLabel('Name *').fill('Owl')
  await dialog.getByLabel('Model *').fill('demo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(row('Owl')).toBeVisible()
  // What the device does comes later on the same stream, so the save has been announced by then.
  await addOnDevice('Fox')
  await expect(row('Fox')).toBeVisible()
  expect(reads).toBe(2)

  await context.setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await addOnDevice('Eagle')
  reads = 0
  await context.setOffline(false)
  await expect(row('Eagle')).toBeVisible()
  await addOnDevice('Heron')
  await expect(row('Heron')).toBeVisible()
  expect(reads).toBe(2)
})
