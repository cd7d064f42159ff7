import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { ApiProvider } from '../lib/swr-config.tsx'
import type { ScriptedApi } from './scripted-api.ts'

/** Draws a screen over a scripted server; `path()` tells where the router stands. */
export function renderScreen(api: ScriptedApi, screen: ReactNode, path = '/') {
  let current = path
  function Location() {
    const { pathname } = useLocation()
    current = pathname
    return null
  }
  const tree = (content: ReactNode) => (
    <MemoryRouter initialEntries={[path]}>
      <ApiProvider api={api.client}>
        <Location />
        {content}
      </ApiProvider>
    </MemoryRouter>
  )
  const view = render(tree(screen))
  return { ...view, path: () => current, redraw: (content: ReactNode) => view.rerender(tree(content)) }
}
