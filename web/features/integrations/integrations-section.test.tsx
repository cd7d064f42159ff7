import { screen, waitFor, type within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import {
  button,
  calendar,
  cardOf,
  gmail,
  IntegrationsScene,
  listRoute,
  tavily,
  withKey,
} from '../../testing/integrations-scene.tsx'
import { failure, json } from '../../testing/scripted-api.ts'

let scene: IntegrationsScene

beforeEach(() => {
  scene = new IntegrationsScene()
})

describe('the section', () => {
  it('has its heading, its text and a button to add (§2.75)', () => {
    scene.open()
    expect(screen.getByRole('heading', { name: 'Integrations' })).toBeInTheDocument()
    expect(screen.getByText('Manage your external service integrations')).toBeInTheDocument()
    expect(button('Add Integration')).toBeEnabled()
  })

  it('shows that it loads, and how to start when it is empty (§2.76)', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(listRoute, () => new Promise((resolve) => (answer = resolve)))
    scene.open()
    expect(screen.getByText('Loading integrations...')).toBeInTheDocument()
    await waitFor(() => expect(scene.api.seen(listRoute)).toHaveLength(1))
    answer(json([]))
    expect(await screen.findByText('No integrations available')).toBeInTheDocument()
    expect(screen.getByText(/Add one to start/)).toBeInTheDocument()
  })

  it('shows an error when it cannot be loaded, and loads again on Try again (§2.76)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    scene.api.on(listRoute, () => failure(503, 'unavailable', 'Down.'))
    scene.open()
    expect(await screen.findByText('Error loading integrations. Please try again later.')).toBeInTheDocument()
    scene.api.on(listRoute, () => json([gmail]))
    await userEvent.click(button('Try again'))
    expect(await screen.findByText('Gmail')).toBeInTheDocument()
  })

  it('shows that it loads again, and the error again when that fails (§2.76)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    scene.api.on(listRoute, () => failure(503, 'unavailable', 'Down.'))
    scene.open()
    const again = await screen.findByRole('button', { name: 'Try again' })
    let answer: (response: Response) => void = () => undefined
    scene.api.on(listRoute, () => new Promise((resolve) => (answer = resolve)))
    await userEvent.click(again)
    expect(screen.getByText('Loading integrations...')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument()
    answer(failure(503, 'unavailable', 'Down.'))
    expect(await screen.findByRole('button', { name: 'Try again' })).toBeEnabled()
    expect(screen.getByText('Error loading integrations. Please try again later.')).toBeInTheDocument()
  })

  it('shows the description of each integration (§2.77, §7.20)', async () => {
    scene.open(gmail, calendar, tavily, { ...tavily, name: 'brave-search' })
    for (const [title, description] of [
      ['Gmail', 'Connect your Gmail account to access your emails'],
      ['Google Calendar', 'Connect your Google Calendar to access your events'],
      ['Tavily', 'Connect to Tavily'],
      ['Brave Search', 'Connect to Brave Search'],
    ] as const)
      expect((await cardOf(title)).getByText(description)).toBeInTheDocument()
  })

  it('shows the buttons for the actions that each one allows (§2.78, §2.79, §2.80, §2.81, §9.9)', async () => {
    scene.open(gmail, calendar, tavily, { ...withKey, name: 'brave-search' })
    const buttons = (scope: ReturnType<typeof within>) =>
      scope.getAllByRole('button').map((one: HTMLElement) => one.textContent)
    expect(buttons(await cardOf('Gmail'))).toEqual(['Connect'])
    expect(buttons(await cardOf('Google Calendar'))).toEqual(['Disconnect'])
    expect(buttons(await cardOf('Tavily'))).toEqual(['Add API Key', 'Edit'])
    const stored = await cardOf('Brave Search')
    expect(buttons(stored)).toEqual(['Update API Key', 'Edit', 'Disconnect'])
    expect(stored.getByText('tvly••••••••9876')).toBeInTheDocument()
    expect(button('Disconnect', stored)).toHaveAccessibleDescription('Brave Search')
    expect(stored.getByText('Connected')).toBeInTheDocument()
  })
})
