import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Message } from '@yonder/contract/message'
import { describe, expect, it, vi } from 'vitest'
import { personalStorage } from '../../features/chat/chat-storage.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json } from '../../testing/scripted-api.ts'
import {
  answered,
  call,
  chatOf,
  openRunning,
  openToolChat,
  question,
  result,
  waitForTurnEnd,
} from '../../testing/tool-chat-scene.tsx'

describe('a call with an elicitation', () => {
  type Fields = NonNullable<NonNullable<Message['call']>['question']>['fields']
  const shared = { description: null, required: true }
  const name = {
    ...shared,
    kind: 'text',
    name: 'name',
    label: 'Name',
    format: null,
    minLength: 2,
    maxLength: null,
    value: null,
  } as const
  const age = {
    ...shared,
    kind: 'number',
    name: 'age',
    label: 'Age',
    whole: true,
    minimum: 18,
    maximum: 150,
    value: null,
  } as const
  const choiceOf = (
    label: string,
    many: boolean,
    options: Readonly<Record<string, string>>,
    value: string[] = [],
  ) => ({
    ...shared,
    kind: 'choice' as const,
    many,
    name: label.toLowerCase(),
    label,
    options: Object.entries(options).map(([key, text]) => ({ value: key, label: text })),
    value,
  })
  const openAsking = async (fields: Fields, id = 'q1') => {
    const asking = call('a1', 'u1', {
      call: { state: 'running', question: { id, message: 'Who are you?', fields } },
    })
    const opened = await openRunning(4, [question, asking])
    opened.api.on('POST /api/tool/answer', () => json({ answered: true }))
    return opened
  }
  const form = () => screen.getByRole('form', { name: 'Question from default' })

  it('shows which connector asks, also after a reload, and sends the entries', async () => {
    const { api, stream } = await openAsking([
      name,
      age,
      { ...shared, kind: 'switch', name: 'news', label: 'News', value: true },
      choiceOf('Colour', false, { r: 'Red', g: 'Green' }),
      choiceOf('Days', true, { mo: 'Monday', tu: 'Tuesday' }, ['mo']),
    ])
    expect(form()).toHaveTextContent('The connector default asks you:Who are you?')
    expect(form()).toHaveTextContent('Never enter a password or code here.')
    const user = userEvent.setup()
    await user.type(within(form()).getByLabelText('Name *'), 'Ada')
    await user.type(within(form()).getByLabelText('Age *'), '36')
    await user.click(within(form()).getByLabelText('News'))
    await user.selectOptions(within(form()).getByLabelText('Colour *'), 'Green')
    await user.click(within(form()).getByLabelText('Tuesday'))
    await user.click(within(form()).getByRole('button', { name: 'Submit' }))
    expect(api.seen('POST /api/tool/answer')[0]?.body).toEqual({
      chatId: 'c1',
      messageId: 'a1',
      questionId: 'q1',
      answer: {
        action: 'accept',
        content: { name: 'Ada', age: 36, news: false, colour: 'g', days: ['mo', 'tu'] },
      },
    })
    stream.send({ type: 'tool_question', message_id: 'a1', question: null })
    await waitFor(() => expect(screen.queryByRole('form', { name: /Question/ })).toBeNull())
    stream.end()
    await waitForTurnEnd()
  })

  it('says what is wrong with an entry and sends nothing', async () => {
    const { api, stream } = await openAsking([
      name,
      { ...age, value: 17.5 },
      { ...name, name: 'mail', label: 'Mail', format: 'email', minLength: null, value: 'ada' },
    ])
    await userEvent.type(within(form()).getByLabelText('Name *'), 'A')
    await userEvent.click(within(form()).getByRole('button', { name: 'Submit' }))
    expect(within(form()).getByText('Enter at least 2 characters')).toBeVisible()
    expect(within(form()).getByText('Enter a whole number')).toBeVisible()
    expect(within(form()).getByText('Enter an e-mail address')).toBeVisible()
    expect(within(form()).getByLabelText('Name *')).toBeInvalid()
    expect(within(form()).getByLabelText('Name *')).toHaveFocus()
    expect(api.seen('POST /api/tool/answer')).toHaveLength(0)
    stream.end()
    await waitForTurnEnd()
  })

  it('does not omit a value that the browser cannot read as a number or a date', async () => {
    const { api } = await openAsking([{ ...age, required: false }])
    const box = within(form()).getByLabelText<HTMLInputElement>('Age')
    // For a text such as "1-2" a browser returns an empty value and sets `badInput`.
    vi.spyOn(box, 'validity', 'get').mockReturnValue({ badInput: true } as ValidityState)
    const explain = vi.spyOn(box, 'reportValidity')
    await userEvent.click(within(form()).getByRole('button', { name: 'Submit' }))
    expect(explain).toHaveBeenCalledOnce()
    expect(api.seen('POST /api/tool/answer')).toHaveLength(0)
  })

  it('can be declined, and says when the answer was not sent', async () => {
    expectConsole('error', /Your answer was not sent/)
    const { api, stream } = await openAsking([name])
    api.on('POST /api/tool/answer', () => failure(409, 'conflict', 'This form is closed.'))
    await userEvent.click(within(form()).getByRole('button', { name: 'Decline' }))
    expect(api.seen('POST /api/tool/answer')[0]?.body).toMatchObject({ answer: { action: 'decline' } })
    expect(await screen.findByText('Your answer was not sent: This form is closed.')).toBeVisible()
    stream.end()
    await waitForTurnEnd()
  })

  it('is not stopped by Escape in a field', async () => {
    const { api, stream } = await openAsking([name])
    fireEvent.keyDown(within(form()).getByLabelText('Name *'), { key: 'Escape' })
    stream.end()
    await waitForTurnEnd()
    expect(api.seen('POST /api/chat/stop')).toHaveLength(0)
  })

  describe('its entries', () => {
    const colour = choiceOf('Colour', false, { r: 'Red' })
    const news = { ...shared, kind: 'switch', name: 'news', label: 'News', value: true } as const
    const fields: Fields = [name, age, colour, news]
    const field = (label: string) => within(form()).getByLabelText(label)
    const press = async (label: string) =>
      userEvent.click(within(form()).getByRole('button', { name: label }))
    const stored = () => Object.entries(localStorage).filter(([key]) => key.includes('question'))

    /** Opens a page with the form and fills the form in. */
    const fillIn = async () => {
      const opened = await openAsking(fields)
      await userEvent.type(field('Name *'), 'Ada')
      await userEvent.type(field('Age *'), '36')
      await userEvent.selectOptions(field('Colour *'), 'Red')
      await userEvent.click(field('News'))
      return opened
    }

    it('are still there after a reload, and are sent', async () => {
      const { view } = await fillIn()
      view.unmount()
      const { api } = await openAsking(fields)
      expect(field('Name *')).toHaveValue('Ada')
      expect(field('Age *')).toHaveValue(36)
      expect(field('Colour *')).toHaveDisplayValue('Red')
      expect(field('News')).not.toBeChecked()
      await press('Submit')
      expect(api.seen('POST /api/tool/answer')[0]?.body).toMatchObject({
        answer: { content: { name: 'Ada', age: 36, colour: 'r', news: false } },
      })
      await waitFor(() => expect(stored()).toEqual([]))
    })

    it('do not appear in another elicitation', async () => {
      const { view } = await fillIn()
      view.unmount()
      await openAsking(fields, 'q2')
      expect(field('Name *')).toHaveValue('')
    })

    it('are removed when it is declined, unless the answer was not sent', async () => {
      expectConsole('error', /Your answer was not sent/)
      const { api } = await fillIn()
      api.on('POST /api/tool/answer', () => failure(503, 'unavailable', 'Later.'))
      await press('Decline')
      await screen.findByText('Your answer was not sent: Later.')
      expect(stored()).toHaveLength(1)
      api.on('POST /api/tool/answer', () => json({ answered: true }))
      await press('Decline')
      await waitFor(() => expect(stored()).toEqual([]))
    })

    it('stay while the user has to sign in again before they can be sent (§8.2)', async () => {
      const { api } = await fillIn()
      api.on('POST /api/tool/answer', () => new Response(null, { status: 401 }))
      await press('Submit')
      await waitFor(() => expect(api.signedOut).toBe(true))
      expect(stored()).toHaveLength(1)
    })

    it('are removed when the call ends without an answer, also while the chat is closed', async () => {
      const { stream } = await fillIn()
      stream.send({ type: 'tool_result', role: 'user', content: '5', message: result('r1', 'a1') })
      await waitFor(() => expect(stored()).toEqual([]))
      stream.end()
      await waitForTurnEnd()

      const { view } = await fillIn()
      view.unmount()
      expect(stored()).toHaveLength(1)
      await openToolChat(chatOf(question, call('a1', 'u1', answered), result('r1', 'a1')))
      await waitFor(() => expect(stored()).toEqual([]))
    })

    it('are removed when the user signs out', async () => {
      await fillIn()
      expect(stored()).toHaveLength(1)
      personalStorage.clearTexts()
      expect(stored()).toEqual([])
    })
  })

  it('moves the focus to the call when the form closes', async () => {
    const { stream } = await openAsking([name])
    await userEvent.type(within(form()).getByLabelText('Name *'), 'Ada')
    stream.send({ type: 'tool_question', message_id: 'a1', question: null })
    await waitFor(() => expect(screen.queryByRole('form', { name: /Question/ })).toBeNull())
    expect(screen.getByRole('button', { name: /Running/ })).toHaveFocus()
    stream.end()
    await waitForTurnEnd()
  })
})
