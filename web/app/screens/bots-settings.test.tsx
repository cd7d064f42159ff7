import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { BotInput } from '@yonder/contract/bot'
import { expect, test } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeBot } from '../../testing/wire-objects.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { BotsSettings } from './bots-settings.tsx'

const chosen = {
  home_page_selected_bot: 'Owl',
  chat_c1_selectedBot: 'Owl',
  chat_c2_selectedBot: 'Fox',
  newChat_c3_bot: 'Owl',
  newChat_c3_message: 'Owl',
  chat_c1_draft: 'Owl',
}
const stored = () => Object.fromEntries(Object.keys(chosen).map((key) => [key, localStorage.getItem(key)]))

async function rename(respond: (input: BotInput) => Response) {
  for (const [key, value] of Object.entries(chosen)) localStorage.setItem(key, value)
  const bots = [makeBot()]
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(bots))
    .on('PUT /api/bot/Owl', ({ body }) => respond(body as BotInput))
  renderScreen(
    api,
    <>
      <BotsSettings />
      <ToastRegion />
    </>,
  )
  await userEvent.click(await screen.findByRole('button', { name: /Edit/ }))
  const name = screen.getByLabelText('Name *')
  await userEvent.clear(name)
  await userEvent.type(name, 'Eagle')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
}

test('a renamed bot stays selected on the home page (§3.23)', async () => {
  await rename((input) => json(input))
  expect(await screen.findByText('Bot "Eagle" updated successfully')).toBeVisible()
  expect(stored()).toEqual({
    ...chosen,
    home_page_selected_bot: 'Eagle',
  })
})

test('a bot stays selected under its old name when the new name is refused', async () => {
  expectConsole('error', /Failed to save bot/)
  await rename(() => failure(409, 'name_taken', 'You already have a bot named "Eagle".'))
  expect(await screen.findByText(/Failed to save bot/)).toBeVisible()
  expect(stored()).toEqual(chosen)
})
