import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json } from '../../testing/scripted-api.ts'
import { call, openRunning, question } from '../../testing/tool-chat-scene.tsx'

const address = 'https://pay.example/order?id=1'

describe('a call that asks the user to open a page', () => {
  const openAsking = async (page: { address: string; needs_continue: boolean }) => {
    const asked = { id: 'q1', message: 'Pay first', fields: [], page }
    const asking = call('a1', 'u1', { call: { state: 'running', question: asked } })
    const opened = await openRunning(4, [question, asking])
    opened.api.on('POST /api/tool/answer', () => json({ answered: true }))
    // The tests open no page.
    region().addEventListener('click', (event) => event.preventDefault())
    return opened
  }
  const region = () => screen.getByRole('region', { name: 'Page requested by default' })
  const inside = () => within(region())
  const answersOf = (api: Awaited<ReturnType<typeof openAsking>>['api']) =>
    api.seen('POST /api/tool/answer').map(({ body }) => (body as { answer: unknown }).answer)

  it('shows the connector, the origin and the whole address, and accepts when the page is opened', async () => {
    const { api } = await openAsking({ address, needs_continue: false })
    expect(region()).toHaveTextContent('The connector default asks you to open a page:Pay first')
    expect(inside().getByText('https://pay.example')).toBeVisible()
    expect(inside().getByLabelText('Address')).toHaveTextContent(address)
    const link = inside().getByRole('link', { name: 'Open page' })
    expect(link).toHaveAttribute('href', address)
    expect(link).toHaveAttribute('target', '_blank')
    expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    expect(answersOf(api)).toEqual([])
    await userEvent.click(link)
    await waitFor(() => expect(answersOf(api)).toEqual([{ action: 'accept' }]))
  })

  it('accepts only when the user continues, if the call is made again then', async () => {
    const { api } = await openAsking({ address, needs_continue: true })
    expect(inside().queryByRole('button', { name: 'Continue' })).toBeNull()
    await userEvent.click(inside().getByRole('link', { name: 'Open page' }))
    expect(inside().getByText('Finish on the page, then continue here.')).toBeVisible()
    expect(answersOf(api)).toEqual([])
    await userEvent.click(inside().getByRole('button', { name: 'Continue' }))
    await waitFor(() => expect(answersOf(api)).toEqual([{ action: 'accept' }]))
  })

  it('can be declined, and says when the answer was not sent', async () => {
    expectConsole('error', /Your answer was not sent/)
    const { api } = await openAsking({ address, needs_continue: true })
    api.on('POST /api/tool/answer', () => failure(503, 'unavailable', 'Later.'))
    await userEvent.click(inside().getByRole('button', { name: 'Decline' }))
    expect(await inside().findByRole('alert')).toHaveTextContent('Your answer was not sent: Later.')
    api.on('POST /api/tool/answer', () => json({ answered: true }))
    await userEvent.click(inside().getByRole('button', { name: 'Decline' }))
    await waitFor(() => expect(answersOf(api)).toEqual([{ action: 'decline' }, { action: 'decline' }]))
  })

  it.each([
    ['http://pay.example/', /not encrypted/],
    ['https://xn--pple-43d.example/', /letters of other scripts/],
  ])('warns of the address %s', async (suspicious, warning) => {
    await openAsking({ address: suspicious, needs_continue: false })
    expect(inside().getByText(warning)).toBeVisible()
  })

  it.each([['https://pay.example/'], ['http://localhost:3000/'], ['http://127.0.0.1/']])(
    'does not warn of the address %s',
    async (plain) => {
      await openAsking({ address: plain, needs_continue: false })
      expect(inside().queryByText(/not encrypted|other scripts/)).toBeNull()
    },
  )
})
