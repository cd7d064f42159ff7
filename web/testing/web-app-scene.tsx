import { act, render, screen } from '@testing-library/react'
import { vi } from 'vitest'
import { WebApp } from '../app/web-app.tsx'
import { json, ScriptedApi } from './scripted-api.ts'
import { makeChat } from './wire-objects.ts'

const identity = {
  issuer: 'https://id.example',
  clientId: 'yonder',
  audience: '',
  googleParams: {},
  embedded: false,
}
export const settings = { identity, sourceUrl: 'https://code.example/yonder', demoShareId: null }
export const ada = { sub: 'local|1', name: 'Ada', email: 'ada@example.com', picture: null }
/** The key under which the browser stores the session of the signed-in user. */
export const sessionKey = 'yonder.sign-in:https://id.example:yonder'

/** The whole web app with a scripted server. The user is signed out until `signIn` is called. */
export class WebAppScene {
  readonly api = new ScriptedApi()

  /** Replaces `fetch` and what happy-dom lacks; the test removes the stubs with `vi.unstubAllGlobals`. */
  constructor() {
    vi.stubGlobal('fetch', this.api.fetch)
    vi.stubGlobal('isSecureContext', true)
    vi.stubGlobal('scrollTo', () => undefined)
    if (!('locks' in navigator)) Object.defineProperty(navigator, 'locks', { value: {}, configurable: true })
    this.api
      .on('GET /api/settings', () => json(settings))
      .on('GET /api/auth/userinfo', () => json({ ...ada, userPrefix: 'ada-1' }))
      .on('GET /api/bots', () => json([]))
      .on('GET /api/chat-list', () => json({ chats: [], next: null }))
      .on('GET /api/chat-list/marks', () => json({ marks: [] }))
      .on('GET /api/projects', () => json([]))
      .on('GET /api/mcp-servers', () => json([]))
      .on('GET /api/shares', () => json({ shares: [] }))
      .on('GET /api/integrations', () => json([]))
      .on('GET /api/integration/types', () => json([]))
      .on('GET /api/chat-list', () => json({ chats: [], next: null }))
      .on('GET /api/chats/known', () => json(makeChat([], { id: 'known' })))
  }

  /** Stores the session of a user, as a sign-in does. */
  signIn(user = ada): void {
    const session = {
      accessToken: 'token',
      expiresAt: Date.now() + 3_600_000,
      refreshToken: null,
      idToken: 'id',
      user,
    }
    localStorage.setItem(sessionKey, JSON.stringify(session))
  }

  /** Signs a user in in another tab of the same browser. */
  signInElsewhere(user: typeof ada): void {
    this.signIn(user)
    act(() => void dispatchEvent(new StorageEvent('storage', { key: sessionKey })))
  }

  open(path = '/') {
    history.replaceState(null, '', path)
    return render(<WebApp />)
  }
}

/** Finds a text of a screen whose code may still be loading. */
export const findText = (text: string | RegExp) => screen.findByText(text)
