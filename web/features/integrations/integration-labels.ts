import type { FieldLabels } from '../../lib/read-reason.ts'

/** What the form of an integration calls what it sends. */
export const integrationLabels: FieldLabels = {
  name: 'Integration',
  auth_type: 'Authentication Type',
  api_key: 'API Key',
}
