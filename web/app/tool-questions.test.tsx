import type { Message } from '@yonder/contract/message'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { expectConsole } from '../testing/expect-console.ts'
import { failure, json } from '../testing/scripted-api.ts'
import { call, openRunning, question, turnIsOver } from '../testing/tool-chat-scene.tsx'

describe('a call that asks its person', () => {
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
  const openAsking = async (fields: Fields) => {
    const asking = call('a1', 'u1', {
      call: { state: 'running', question: { id: 'q1', message: 'Who are you?', fields } },
    })
    const { api, stream } = await openRunning(4, [question, asking])
    api.on('POST /api/tool/answer', () => json({ answered: true }))
    return { api, stream }
  }
  const form = () => screen.getByRole('form', { name: 'Question of default' })

  it('shows whose question it is, also after a reload, and sends what was entered', async () => {
    const { api, stream } = await openAsking([
      name,
      {
        ...shared,
        kind: 'number',
        name: 'age',
        label: 'Age',
        whole: true,
        minimum: 0,
        maximum: 150,
        value: null,
      },
      { ...shared, kind: 'switch', name: 'news', label: 'News', value: true },
      {
        ...shared,
        kind: 'choice',
        many: false,
        name: 'colour',
        label: 'Colour',
        options: [
          { value: 'r', label: 'Red' },
          { value: 'g', label: 'Green' },
        ],
        value: [],
      },
      {
        ...shared,
        kind: 'choice',
        many: true,
        name: 'days',
        label: 'Days',
        options: [
          { value: 'mo', label: 'Monday' },
          { value: 'tu', label: 'Tuesday' },
        ],
        value: ['mo'],
      },
    ])
    expect(form()).toHaveTextContent('The connector default asks you:Who are you?')
    expect(form()).toHaveTextContent('Never give it a password or another secret.')
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
    await turnIsOver()
  })

  it('says what is wrong with an entry, and sends nothing then', async () => {
    const { api, stream } = await openAsking([
      name,
      {
        ...shared,
        kind: 'number',
        name: 'age',
        label: 'Age',
        whole: true,
        minimum: 18,
        maximum: null,
        value: 17.5,
      },
      { ...name, name: 'mail', label: 'Mail', format: 'email', minLength: null, value: 'nobody' },
    ])
    await userEvent.type(within(form()).getByLabelText('Name *'), 'A')
    await userEvent.click(within(form()).getByRole('button', { name: 'Submit' }))
    expect(within(form()).getByText('At least 2 characters')).toBeVisible()
    expect(within(form()).getByText('Please enter a whole number')).toBeVisible()
    expect(within(form()).getByText('Please enter an e-mail address')).toBeVisible()
    expect(within(form()).getByLabelText('Name *')).toBeInvalid()
    expect(within(form()).getByLabelText('Name *')).toHaveFocus()
    expect(api.seen('POST /api/tool/answer')).toHaveLength(0)
    stream.end()
    await turnIsOver()
  })

  it('can be declined, and says when that did not arrive', async () => {
    expectConsole('error', /Your answer was not sent/)
    const { api, stream } = await openAsking([name])
    api.on('POST /api/tool/answer', () => failure(409, 'conflict', 'Nobody asks this any more.'))
    await userEvent.click(within(form()).getByRole('button', { name: 'Decline' }))
    expect(api.seen('POST /api/tool/answer')[0]?.body).toMatchObject({ answer: { action: 'decline' } })
    expect(await screen.findByText('Your answer was not sent: Nobody asks this any more.')).toBeVisible()
    stream.end()
    await turnIsOver()
  })

  it('is not stopped by the key that leaves a field', async () => {
    const { api, stream } = await openAsking([name])
    fireEvent.keyDown(within(form()).getByLabelText('Name *'), { key: 'Escape' })
    stream.end()
    await turnIsOver()
    expect(api.seen('POST /api/chat/stop')).toHaveLength(0)
  })
})
