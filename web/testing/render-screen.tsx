import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { ChatListContext, ChatListStore } from '../data/chat-list.ts'
import { ApiProvider } from '../lib/api/api-provider.tsx'
import type { ScriptedApi } from './scripted-api.ts'

/** Renders a screen with a scripted server; `path()` and `search()` return the router's location. */
export function renderScreen(api: ScriptedApi, screen: ReactNode, path = '/') {
  function Location() {
    const { pathname, search } = useLocation()
    return (
      <output data-testid="path" data-search={search}>
        {pathname}
      </output>
    )
  }
  const chatList = new ChatListStore(api.client)
  const tree = (content: ReactNode) => (
    <MemoryRouter initialEntries={[path]}>
      <ApiProvider api={api.client}>
        <ChatListContext value={chatList}>
          <Location />
          {content}
        </ChatListContext>
      </ApiProvider>
    </MemoryRouter>
  )
  const view = render(tree(screen))
  return {
    ...view,
    path: () => view.getByTestId('path').textContent,
    search: () => view.getByTestId('path').dataset['search'],
    redraw: (content: ReactNode) => view.rerender(tree(content)),
  }
}
