import { act, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { type NavigateFunction, MemoryRouter, useLocation, useNavigate } from 'react-router'
import { ChatListContext, ChatListStore } from '../data/chat-list.ts'
import { ApiProvider } from '../lib/api/api-provider.tsx'
import type { ScriptedApi } from './scripted-api.ts'

/** Renders a screen with a scripted server; `path()`, `search()` and `hash()` return the router's location, and `go()` changes it. */
export function renderScreen(api: ScriptedApi, screen: ReactNode, path = '/') {
  let navigate: NavigateFunction | undefined
  function Location() {
    const { pathname, search, hash } = useLocation()
    navigate = useNavigate()
    return (
      <output data-testid="path" data-search={search} data-hash={hash}>
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
    hash: () => view.getByTestId('path').dataset['hash'],
    go: (to: string) => act(async () => navigate?.(to)),
    redraw: (content: ReactNode) => view.rerender(tree(content)),
  }
}
