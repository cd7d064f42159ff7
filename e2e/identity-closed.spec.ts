import { expect, test } from './support/fixtures.ts'
import { createTestUser, signIn } from './support/users.ts'

test.use({ installation: 'closed' })

test('a closed installation prints a link that creates the first account, and nothing else', async ({
  page,
  product,
}) => {
  const lines = product
    .output()
    .trim()
    .split('\n')
    // The log, which has warnings in a container.
    .filter((line) => !line.startsWith('{'))
  expect(lines).toEqual([
    `Yonder is at ${product.url}`,
    `Its data is in ${product.dataDir}`,
    expect.stringContaining(`${product.url}/oidc/set-up?token=`),
  ])
  const link = lines[2]?.split(' ').at(-1) ?? ''
  const user = createTestUser()
  await page.goto(link)
  await page.getByLabel('Name').fill(user.name)
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is ready' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to Yonder' }).click()
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await expect(page.getByLabel('Password')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create an account' })).toBeHidden()
  await signIn(page, user)
})
