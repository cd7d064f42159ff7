import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Route, Routes } from 'react-router'
import { expect, it } from 'vitest'
import { IdentityContext } from '../../features/identity/use-identity.ts'
import { makeIdentity } from '../../testing/make-identity.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { SettingsScreen } from './settings-screen.tsx'

const user = { sub: '1', name: 'Ada', email: null, picture: null, userPrefix: 'ada-1' }

function open() {
  const api = new ScriptedApi()
    .on('GET /api/auth/userinfo', () => json(user))
    .on('GET /api/bots', () => json([]))
    .on('GET /api/shares', () => json({ shares: [] }))
  return renderScreen(
    api,
    <IdentityContext value={makeIdentity()}>
      <Routes>
        <Route path="/settings/:section" element={<SettingsScreen />} />
      </Routes>
    </IdentityContext>,
    '/settings/general',
  )
}

it('has a menu of its sections, in which the current one is marked (§2.47)', async () => {
  const { path } = open()
  await screen.findByText('Ada')
  const menu = within(screen.getByRole('navigation', { name: 'Settings' }))
  expect(menu.getAllByRole('link').map((link) => link.textContent)).toEqual([
    'General',
    'Bots',
    'Connectors',
    'Integrations',
    'Permissions',
    'Notifications',
    'Usage',
    'Data',
  ])
  expect(menu.getByRole('link', { name: 'General' })).toHaveAttribute('aria-current', 'page')
  await userEvent.click(menu.getByRole('link', { name: 'Bots' }))
  expect(await screen.findByRole('button', { name: 'Add Bot' })).toBeVisible()
  expect(path()).toBe('/settings/bots')
})

it("has a 'Sections' dropdown that does the same (§2.47)", async () => {
  const { path } = open()
  await screen.findByText('Ada')
  const dropdown = screen.getByLabelText('Sections')
  expect(dropdown).toHaveValue('general')
  await userEvent.selectOptions(dropdown, 'Bots')
  expect(await screen.findByRole('button', { name: 'Add Bot' })).toBeVisible()
  expect(path()).toBe('/settings/bots')
})
