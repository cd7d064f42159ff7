import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { QuotedText } from './quoted-text.tsx'

it('isolates the words of a server from the direction of the sentence', () => {
  const text = 'The server failed (500). The server says: “שלום”'
  const { container } = render(<QuotedText>{text}</QuotedText>)
  expect(container).toHaveTextContent(text)
  expect(container.querySelector('bdi')).toHaveTextContent('“שלום”')
  expect(render(<QuotedText>No words.</QuotedText>).container.querySelector('bdi')).toBeNull()
})
