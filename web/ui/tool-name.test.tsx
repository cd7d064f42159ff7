import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { QuotedText } from './quoted-text.tsx'
import { ToolName } from './tool-name.tsx'

it.each([
  ['act', 'act'],
  [' act', 'U+0020act'],
  ['act ', 'actU+0020'],
  [' a b ', 'U+0020a bU+0020'],
])('shows the name of the tool %j with the spaces at its ends (§18.32)', (name, shown) => {
  expect(render(<ToolName>{name}</ToolName>).container).toHaveTextContent(shown)
})

it('isolates the words of a server from the direction of the sentence (§18.41)', () => {
  const text = 'The server failed (500). The server says: “שלום”'
  const { container } = render(<QuotedText>{text}</QuotedText>)
  expect(container).toHaveTextContent(text)
  expect(container.querySelector('bdi')).toHaveTextContent('“שלום”')
  expect(render(<QuotedText>No words.</QuotedText>).container.querySelector('bdi')).toBeNull()
})
