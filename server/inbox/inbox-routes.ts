import { Inbox } from '@yonder/contract/inbox'
import { type Api, route } from '../http/api.ts'
import { readInPages } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import { type InboxDeps, readInbox } from './read-inbox.ts'

/** Registers the route of what waits for the user in all chats. */
export function registerInboxRoutes(api: Api, deps: InboxDeps): void {
  api.get(
    '/api/inbox',
    route('user', 'List what waits for the user', [], { response: { 200: Inbox } }),
    async (request) => {
      const { items, total } = await readInbox(deps, requireUser(request))
      return { items: readInPages(items), total }
    },
  )
}
