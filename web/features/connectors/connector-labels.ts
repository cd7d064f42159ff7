import type { FieldLabels } from '../../lib/read-reason.ts'

/** What the form of a connector calls what it sends. */
export const connectorLabels: FieldLabels = {
  name: 'Name',
  url: 'URL',
  token: 'Token',
  client_id: 'Client ID',
  client_secret: 'Client Secret',
  allow_tools: 'Allowed Tools',
}
