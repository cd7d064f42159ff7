import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleConnectorDeps } from '../google-connector-deps.ts'
import type { GoogleLimits } from '../google/google-limits.ts'
import type { IntegrationConnector } from '../integration-connector.ts'

/** Gmail, for whoever has connected it: tools that read run at once, all others ask. Its code is loaded when it is used. */
export function createGmailConnector(deps: GoogleConnectorDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-gmail',
    name: titleOfIntegration('google-gmail'),
    url: 'builtin://google-gmail',
    slug: 'gmail',
    initialTools: [
      'search_messages',
      'read_message',
      'read_thread',
      'list_labels',
      'list_drafts',
      'read_draft',
    ],
    fetch: async (userId, request) => {
      const [{ createMcpHandler }, { createGmailServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./create-gmail-server.ts'),
      ])
      return createMcpHandler(() => createGmailServer(deps, userId, limits)).fetch(request)
    },
  }
}
