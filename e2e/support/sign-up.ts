import { randomBytes } from 'node:crypto'
import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'

export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Somebody nobody has met before. */
export function inventPerson(name = 'Ada Example'): Person {
  const id = randomBytes(6).toString('hex')
  return { name, email: `${id}@example.com`, password: `correct horse ${id}` }
}

/** Makes an account on the embedded sign-in page and ends on the signed-in home page. */
export async function signUp(page: Page, person: Person = inventPerson()): Promise<Person> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await page.waitForURL(/\/oidc\//)
  const nameField = page.locator('input[name="name"]')
  if (!(await nameField.isVisible()))
    await page.getByRole('link', { name: /create|sign up|new account/i }).click()
  await nameField.fill(person.name)
  await page.locator('input[name="email"]').fill(person.email)
  await page.locator('input[name="password"]').fill(person.password)
  await page.getByRole('button', { name: /create|sign up/i }).click()
  await expect(page.getByText(`Welcome, ${person.name}.`)).toBeVisible()
  return person
}

/** Signs in with an account that exists and ends on the signed-in home page. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await page.waitForURL(/\/oidc\//)
  await page.locator('input[name="email"]').fill(person.email)
  await page.locator('input[name="password"]').fill(person.password)
  await page.locator('button[type="submit"]').first().click()
  await expect(page.getByText(`Welcome, ${person.name}.`)).toBeVisible()
}
