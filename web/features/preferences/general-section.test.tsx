import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { GeneralSection } from './general-section.tsx'
import { followTheme } from './theme.ts'

const route = 'GET /api/auth/userinfo'
const ada = {
  sub: 'local|42',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  picture: 'https://pictures.example/ada.png',
  userPrefix: 'ada-3f9c1b',
}

let stop: () => void
beforeEach(() => {
  stop = followTheme()
})
afterEach(() => stop())

it('shows picture, name, email, ID and prefix (§2.49, §3.2, §7.27)', async () => {
  const { container } = renderScreen(
    new ScriptedApi().on(route, () => json(ada)),
    <GeneralSection accountUrl={null} />,
  )
  expect(await screen.findByText('Ada Lovelace')).toBeVisible()
  expect(screen.getByRole('heading', { name: 'User Information' })).toBeVisible()
  expect(screen.getByText('ada@example.com')).toBeVisible()
  expect(screen.getByText('local|42')).toBeVisible()
  expect(screen.getByText('ada-3f9c1b')).toBeVisible()
  for (const name of ['ID', 'Prefix']) expect(screen.getByText(name)).toBeVisible()
  const picture = container.querySelector('img')
  expect(picture).toHaveAttribute('src', ada.picture)
  fireEvent.error(picture as Element)
  expect(container.querySelector('img')).toBeNull()
})

it("links to 'Account and security' only at the built-in provider", async () => {
  const screenOf = (accountUrl: string | null) => <GeneralSection accountUrl={accountUrl} />
  const { redraw } = renderScreen(
    new ScriptedApi().on(route, () => json(ada)),
    screenOf('https://chat.example/oidc/account'),
  )
  const link = { name: 'Manage account and security' }
  expect(screen.getByRole('link', link)).toHaveAttribute('href', 'https://chat.example/oidc/account')
  redraw(screenOf(null))
  expect(await screen.findByText('Ada Lovelace')).toBeVisible()
  expect(screen.queryByRole('link', link)).toBeNull()
})

it("shows 'User' for a user without a name (§2.49)", async () => {
  const unnamed = { ...ada, name: null, email: null, picture: null }
  renderScreen(
    new ScriptedApi().on(route, () => json(unnamed)),
    <GeneralSection accountUrl={null} />,
  )
  expect(await screen.findByText('User')).toBeVisible()
})

it("shows 'Loading...' until the response arrives (§2.49)", async () => {
  let answer: (response: Response) => void = () => undefined
  const waiting = new Promise<Response>((resolve) => {
    answer = resolve
  })
  renderScreen(
    new ScriptedApi().on(route, () => waiting),
    <GeneralSection accountUrl={null} />,
  )
  expect(screen.getByText('Loading...')).toBeVisible()
  answer(json(ada))
  expect(await screen.findByText('Ada Lovelace')).toBeVisible()
  expect(screen.queryByText('Loading...')).toBeNull()
})

it("shows 'Error loading user data' when the request fails (§2.49)", async () => {
  expectConsole('error', /fetching the data\. 500/)
  renderScreen(
    new ScriptedApi().on(route, () => failure(500, 'internal', 'Down.')),
    <GeneralSection accountUrl={null} />,
  )
  expect(await screen.findByText('Error loading user data')).toBeVisible()
  expect(screen.queryByText('Loading...')).toBeNull()
})

it('toggles the theme: light, dark, system, light (§2.50, §4.6)', async () => {
  renderScreen(
    new ScriptedApi().on(route, () => json(ada)),
    <GeneralSection accountUrl={null} />,
  )
  await screen.findByText('Ada Lovelace')
  for (const [theme, next] of [
    ['Light', 'Dark'],
    ['Dark', 'System'],
    ['System', 'Light'],
  ])
    fireEvent.click(screen.getByRole('button', { name: `Theme: ${theme}. Switch to ${next}` }))
  expect(screen.getByRole('button', { name: /Theme: Light/ })).toBeVisible()
  expect(localStorage.getItem('theme')).toBe('light')
})

it('switches the connection logs on and off, here and in other tabs; they are off by default (§1.10, §3.22, §9.14)', async () => {
  renderScreen(
    new ScriptedApi().on(route, () => json(ada)),
    <GeneralSection accountUrl={null} />,
  )
  await screen.findByText('Ada Lovelace')
  const logs = screen.getByRole('switch', { name: 'Connection logs' })
  expect(logs).not.toBeChecked()
  fireEvent.click(logs)
  expect(logs).toBeChecked()
  expect(localStorage.getItem('showMcpLogs')).toBe('true')
  fireEvent.click(logs)
  expect(localStorage.getItem('showMcpLogs')).toBe('false')
  localStorage.setItem('showMcpLogs', 'true')
  fireEvent(window, new StorageEvent('storage', { key: 'showMcpLogs' }))
  expect(logs).toBeChecked()
})

it('brings the things to try back after they have gone, and hides them', async () => {
  localStorage.setItem('thingsToTry', 'hidden')
  renderScreen(
    new ScriptedApi().on(route, () => json(ada)),
    <GeneralSection accountUrl={null} />,
  )
  await screen.findByText('Ada Lovelace')
  const things = screen.getByRole('switch', { name: 'Things to try' })
  expect(things).not.toBeChecked()
  fireEvent.click(things)
  expect(things).toBeChecked()
  expect(localStorage.getItem('thingsToTry')).toBe('shown')
  fireEvent.click(things)
  expect(localStorage.getItem('thingsToTry')).toBe('hidden')
})
