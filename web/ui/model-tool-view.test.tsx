import { render } from '@testing-library/react'
import type { ModelTool } from '@yonder/contract/connector'
import { expect, it } from 'vitest'
import { ModelToolView } from './model-tool-view.tsx'

function show(parameters: Record<string, unknown>) {
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
  const container = show({
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: 'string' } },
    required: ['b'],
  })
  expect(container).toHaveTextContent('Parametersa string or null b string requiredSchema as JSON')
})
