import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeBot, makeConnector } from '../../testing/wire-objects.ts'
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
  expect(api.seen('POST /api/bot')).toEqual([])
  scroll.mockRestore()
})

describe('the connectors of a bot', () => {
  function open(bot = makeBot(), names: readonly string[] = ['Files', 'Mail']) {
    const api = new ScriptedApi()
    api
      .on('GET /api/mcp-servers', () => json(names.map((name) => makeConnector({ name }))))
      .on('PUT /api/bot/Owl', ({ body }) => json(makeBot(body as typeof bot)))
    renderScreen(api, <BotFormDialog bot={bot} onClose={vi.fn()} />)
    return {
      scope: () => screen.getByRole('combobox', { name: 'Connectors' }),
      list: () => screen.getByRole('group', { name: /^Chosen connectors/ }),
      async save() {
        await userEvent.click(screen.getByRole('button', { name: 'Save' }))
        await vi.waitFor(() => expect(api.requests.at(-1)?.route).toBe('PUT /api/bot/Owl'))
        return api.requests.at(-1)?.body
      },
    }
  }
  const optional = () => screen.getByRole('checkbox', { name: 'Optional settings' })

  it('are all, chosen ones or none', async () => {
    const { scope, list, save } = open()
    await userEvent.click(optional())
    expect(scope()).toHaveDisplayValue('All')
    await userEvent.selectOptions(scope(), 'Chosen')
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Mail' }))
    expect(list()).toHaveTextContent('Chosen connectors (1)')
    expect(await save()).toMatchObject({ connectors: ['Mail'] })
  })

  it('are none', async () => {
    const { scope, save } = open()
    await userEvent.click(optional())
    await userEvent.selectOptions(scope(), 'None')
    expect(await save()).toMatchObject({ connectors: [] })
  })

  it('become all when the optional settings are unchecked (§5.8)', async () => {
    const { scope, save } = open(makeBot({ connectors: [] }))
    expect(optional()).toBeChecked()
    expect(scope()).toHaveDisplayValue('None')
    await userEvent.click(optional())
    expect(await save()).toMatchObject({ connectors: null })
  })

  it('are not sent when they are unchanged, since a connector may have another name by now', async () => {
    const { save } = open(makeBot({ connectors: ['Mail'] }))
    expect(await save()).not.toHaveProperty('connectors')
  })

  it('mark a name that no connector has, and remove it', async () => {
    const { list, save } = open(makeBot({ connectors: ['Gone', 'Mail'] }))
    const gone = await screen.findByRole('checkbox', { name: 'Gone' })
    expect(gone).toBeChecked()
    expect(gone).toHaveAccessibleDescription('Missing: you have no connector with this name.')
    await userEvent.click(gone)
    expect(gone).toBeInTheDocument()
    expect(list()).toHaveTextContent('Chosen connectors (1)')
    expect(await save()).toMatchObject({ connectors: ['Mail'] })
  })

  it('are searched when there are many', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Server ${index}`)
    const { list } = open(makeBot({ connectors: ['Server 3'] }), names)
    await userEvent.type(await screen.findByRole('searchbox', { name: 'Search connectors' }), 'ver 1')
    expect(within(list()).getAllByRole('checkbox')).toHaveLength(3)
    await userEvent.type(screen.getByRole('searchbox'), 'x')
    expect(list()).toHaveTextContent('No connectors found matching "ver 1x"')
  })

  it('cannot be chosen while there are none, which the form says', async () => {
    const { scope, list } = open(makeBot({ connectors: [] }), [])
    await userEvent.selectOptions(scope(), 'Chosen')
    expect(await screen.findByText(/^You have no connectors/)).toBeInTheDocument()
    expect(list()).not.toHaveTextContent('matching')
  })

  it.each([
    [['Mail'], 'The chosen connectors stay chosen.'],
    [[], 'Without a chosen connector, the bot gets no tools.'],
  ])(
    'cannot be changed from %j while they cannot be loaded, and the form says so',
    async (connectors, said) => {
      expectConsole('error', /fetching the data\. 503/)
      const api = new ScriptedApi().on('GET /api/mcp-servers', () => failure(503, 'unavailable', 'Down.'))
      renderScreen(api, <BotFormDialog bot={makeBot({ connectors })} onClose={vi.fn()} />)
      await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Connectors' }), 'Chosen')
      expect(await screen.findByText(`The connectors could not be loaded. ${said}`)).toBeInTheDocument()
    },
  )
})
