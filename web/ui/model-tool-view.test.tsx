import { render } from '@testing-library/react'
import type { ModelTool } from '@yonder/contract/connector'
import { expect, it } from 'vitest'
import { ModelToolView } from './model-tool-view.tsx'

function show(parameters: string) {
  const tool = {
    name: 'notes_add',
    description: '',
    parameters,
    google_parameters: null,
    fingerprint: 'f1',
    offered: true,
  } satisfies ModelTool
  return render(<ModelToolView read={{ data: tool, mutate: () => undefined }} fingerprint="f1" />).container
}

it('shows what the list of parameters says only once', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: 'string' } },
    required: ['b'],
  }
  const container = show(JSON.stringify(schema))
  expect(container).toHaveTextContent('Parametersa string or null b string requiredSchema as JSON')
})

it('shows the numbers that a model reads, also those that a double cannot hold', () => {
  const container = show(
    '{"type":"object","properties":{"a":{"type":"integer","maximum":18446744073709551615}}}',
  )
  expect(container).toHaveTextContent('maximum: 18446744073709551615')
})
