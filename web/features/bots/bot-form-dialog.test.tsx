import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderScreen } from '../../testing/render-screen.tsx'
import { ScriptedApi } from '../../testing/scripted-api.ts'
import { BotFormDialog } from './bot-form-dialog.tsx'

it('scrolls an invalid field into view after its message is shown (§5.6, §8.34)', async () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView')
  const api = new ScriptedApi()
  renderScreen(api, <BotFormDialog onClose={vi.fn()} />)
  await userEvent.type(screen.getByLabelText('Name *'), 'A')
  await userEvent.type(screen.getByLabelText('Model *'), 'm')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Optional settings' }))
  const tokens = screen.getByLabelText('Max tokens')
  await userEvent.type(tokens, '0')
  let wasShownOnFocus = false
  const isShown = () => screen.queryByText('Max tokens must be a whole number from 1 to 10,000,000') !== null
  tokens.addEventListener('focus', () => (wasShownOnFocus = isShown()))
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(wasShownOnFocus).toBe(true)
  expect(scroll).toHaveBeenCalledExactlyOnceWith({ block: 'nearest' })
  expect(scroll.mock.contexts).toEqual([tokens])
  expect(api.requests).toEqual([])
  scroll.mockRestore()
})
