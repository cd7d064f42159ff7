import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { PromptButton } from './prompt-button.tsx'
// The dialog is loaded late; a busy machine could take longer for it than a query waits.
import './prompt-dialog.tsx'

const address = 'GET /api/chats/c/messages/m/prompt'
const prompt = {
  model: 'gpt',
  time: '2026-11-24T10:00:00.000Z',
  max_tokens: 1_000,
  temperature: 0.5,
  instructions: 'Be brief.',
  messages: [
    { role: 'user', content: 'Add 2 and 3' },
    { role: 'assistant', content: '', tool_calls: [{ name: 'calc', arguments: '{"a":2}' }] },
    { role: 'tool', name: 'calc', content: '5' },
  ],
  tools: [{ name: 'calc', description: 'Adds.', schema: '{}' }],
  missing: [],
}

async function open(api: ScriptedApi) {
  renderScreen(api, <PromptButton chatId="c" messageId="m" />)
  await userEvent.click(screen.getByRole('button', { name: 'What the model was given' }))
  return screen.findByRole('dialog', { name: 'What the model was given' })
}

it('shows instructions, messages, tools and their sizes', async () => {
  const api = new ScriptedApi().on(address, () => json(prompt))
  const dialog = await open(api)
  expect(await screen.findByText('Be brief.')).toBeTruthy()
  expect(dialog.textContent).toContain('temperature 0.5 · at most 1,000 tokens')
  expect(dialog.textContent).toContain('43 characters in all')
  await userEvent.click(screen.getByRole('button', { name: '2. Assistant, 11 characters' }))
  expect(screen.getByText('Calls calc with {"a":2}')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: '3. Result of a tool: calc, 1 character' }))
  await userEvent.click(screen.getByRole('button', { name: 'calc, 11 characters' }))
  expect(screen.getByText('Adds.')).toBeTruthy()
})

it('names what is no longer stored', async () => {
  const dialog = await open(
    new ScriptedApi().on(address, () => json({ ...prompt, instructions: null, missing: ['instructions'] })),
  )
  expect(await screen.findByText(/These parts are no longer stored.*: instructions\.$/)).toBeTruthy()
  expect(dialog.textContent).toContain('34 characters still stored')
  expect(screen.getByRole('region', { name: 'Instructions' })).toHaveTextContent('no longer stored')
  expect(screen.queryByText('none')).toBeNull()
})

it('does not say that no tools were sent when they are no longer stored', async () => {
  await open(new ScriptedApi().on(address, () => json({ ...prompt, tools: [], missing: ['tools'] })))
  expect(await screen.findByRole('region', { name: 'Tools' })).toHaveTextContent('no longer stored')
})

it('says that a reply has no stored prompt, which is not an error', async () => {
  await open(new ScriptedApi().on(address, () => failure(404, 'not_found', 'None.')))
  expect(await screen.findByText(/prompt of this reply is not stored.*the model was not called/)).toBeTruthy()
})
