import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ToolName } from './inert-text.tsx'

it.each([
  ['act', 'act'],
  [' act', 'U+0020act'],
  ['act ', 'actU+0020'],
  [' a b ', 'U+0020a bU+0020'],
  ['  act', 'U+0020 U+0020act'],
  ['\u00A0act\t', 'U+00A0actU+0009'],
])('shows the name of the tool %j with the spaces at its ends', (name, shown) => {
  expect(render(<ToolName>{name}</ToolName>).container).toHaveTextContent(shown)
})
