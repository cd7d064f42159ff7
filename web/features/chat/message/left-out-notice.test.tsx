import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { LeftOutTools } from '@yonder/contract/tool-call'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { LeftOutNotice } from './left-out-notice.tsx'

function show(leftOut: LeftOutTools) {
  render(
    <MemoryRouter>
      <LeftOutNotice leftOut={leftOut} />
    </MemoryRouter>,
  )
  return within(screen.getByRole('complementary', { name: 'Tools left out' }))
}

const mail = { connector_id: 'c', server: 'Mail', count: 1, tools: ['send'] }
const files = { connector_id: 'c', server: 'Files & more', count: 12, tools: ['read', 'write'] }

test('names the connectors, the limit and the tools, and leads to both settings', async () => {
  const notice = show({ max_tools: 128, connectors: [files, mail] })
  expect(
    notice.getByText(
      'From here on, 12 tools of Files & more and 1 tool of Mail are left out: a model is offered at most 128 tools.',
    ),
  ).toBeVisible()
  expect(notice.getByRole('link', { name: 'Manage connectors' })).toHaveAttribute(
    'href',
    '/settings/connectors',
  )
  await userEvent.click(notice.getByRole('button', { name: 'Which tools' }))
  const [first, second] = notice.getAllByRole('listitem')
  expect(first).toHaveTextContent('Files & more: read, write and 10 more')
  expect(second).toHaveTextContent(/^Mail: send$/)
  expect(within(first!).getByRole('link')).toHaveAttribute(
    'href',
    '/settings/connectors?configure=Files+%26+more',
  )
})

test('names the limit of characters', () => {
  const notice = show({ max_tools: 128, max_chars: 250_000, connectors: [mail] })
  expect(
    notice.getByText(
      'From here on, 1 tool of Mail is left out: a model is offered at most 128 tools and 250,000 characters of tool descriptions.',
    ),
  ).toBeVisible()
})

test('says how many tools are offered, if that is known', async () => {
  const notice = show({ max_tools: 128, offered: 128, total: 1_402, connectors: [files] })
  expect(notice.getByText(/128 of 1,402 tools are offered\./)).toBeVisible()
  await userEvent.click(notice.getByRole('button', { name: 'Which tools' }))
  expect(notice.getByText(/block tools that you do not need/)).toBeVisible()
})

test('says when nothing is left out any more, without a link', () => {
  const notice = show({ connectors: [] })
  expect(notice.getByText('From here on, no tools are left out.')).toBeVisible()
  expect(notice.queryByRole('link')).toBeNull()
  expect(notice.queryByRole('button')).toBeNull()
})
