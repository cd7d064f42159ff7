import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { makeBot, makeMessage, makeReply } from '../../../testing/wire-objects.ts'
import { ContextGauge, measureContext } from './context-gauge.tsx'

const path = [
  makeMessage('u1', null),
  makeReply('a1', 'u1', { usage: { input_tokens: 900, output_tokens: 100 } }),
]

it('is what the last reply used, and an estimate of what came after it', () => {
  const bot = makeBot({ known_context_window: 8_000 })
  expect(measureContext(path, bot)).toEqual({ tokens: 1_000, window: 8_000, isEstimate: false })
  const longer = [...path, makeMessage('u2', 'a1', { content: 'x'.repeat(400) })]
  expect(measureContext(longer, bot)).toEqual({ tokens: 1_100, window: 8_000, isEstimate: true })
  expect(measureContext(path, makeBot({ context_window: 2_000, known_context_window: 8_000 }))?.window).toBe(
    2_000,
  )
})

it('is absent without a known window, without messages, and without a bot', () => {
  expect(measureContext(path, makeBot())).toBeUndefined()
  expect(measureContext([], makeBot({ context_window: 2_000 }))).toBeUndefined()
  expect(measureContext(path, undefined)).toBeUndefined()
})

it('names the share, also above 100 %, and shows it as a figure from 50 % on', () => {
  const { rerender } = render(
    <ContextGauge use={{ tokens: 1_000, window: 8_000, isEstimate: false }} typed={0} />,
  )
  const gauge = screen.getByRole('button')
  expect(gauge).toHaveAccessibleName('Context used: 13 % (1,000 of 8,000 tokens)')
  expect(screen.queryByText('13 %')).toBeNull()
  rerender(<ContextGauge use={{ tokens: 9_000, window: 8_000, isEstimate: true }} typed={0} />)
  expect(gauge).toHaveAccessibleName('Context used: 113 % (about 9,000 of 8,000 tokens)')
  expect(screen.getByText('113 %')).toBeVisible()
})

it('counts the files of the message that is being written', () => {
  render(
    <ContextGauge use={{ tokens: 1_000, window: 8_000, isEstimate: false }} typed={4} fileTokens={999} />,
  )
  expect(screen.getByRole('button')).toHaveAccessibleName('Context used: 25 % (about 2,000 of 8,000 tokens)')
})

it('shows its figures when it is tapped, and hides them after a tap elsewhere', async () => {
  const user = userEvent.setup()
  render(<ContextGauge use={{ tokens: 1_000, window: 8_000, isEstimate: false }} typed={0} />)
  const figures = () => screen.queryByText('Context: 13 % (1,000 of 8,000 tokens)')
  expect(figures()).toBeNull()
  await user.pointer({ keys: '[TouchA]', target: screen.getByRole('button') })
  expect(figures()).toBeInTheDocument()
  await user.pointer({ keys: '[TouchA]', target: document.body })
  expect(figures()).toBeNull()
})
