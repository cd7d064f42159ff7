import type { FieldLabels } from '../../lib/read-reason.ts'

/** What the form of a bot calls what it sends. */
export const botLabels: FieldLabels = {
  name: 'Name',
  model: 'Model',
  base_url: 'Base URL',
  api_key: 'API key',
  api_type: 'API type',
  custom_api_path: 'Custom API path',
  max_tokens: 'Max tokens',
}
