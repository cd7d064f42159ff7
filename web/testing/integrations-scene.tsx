import { screen, within } from '@testing-library/react'
import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { onTestFinished, vi } from 'vitest'
import { IntegrationsSection } from '../features/integrations/integrations-section.tsx'
import { dismissToast, toasts } from '../lib/toasts.ts'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { renderScreen } from './render-screen.tsx'
import { json, ScriptedApi } from './scripted-api.ts'
import { makeIntegration } from './wire-objects.ts'

export const gmail = makeIntegration()
export const calendar: Integration = { ...gmail, name: 'google-calendar', connected: true }
export const tavily: Integration = { ...gmail, name: 'tavily', auth_type: 'api_key' }
export const mask = 'tvly••••••••9876'
export const withKey: Integration = { ...tavily, connected: true, api_key: mask }

export const listRoute = 'GET /api/integrations'
export const typesRoute = 'GET /api/integration/types'
export const createRoute = 'POST /api/integration'
export const consentRoute = 'GET /api/integration/auth/google-gmail'

/**
 * The integrations section with a server that stores integrations; a test can replace the response of any route. Each
 * test creates its own scene.
 */
export class IntegrationsScene {
  readonly api = new ScriptedApi()
  stored: readonly Integration[] = []
  /** Records the addresses that the page opens. */
  readonly assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)

  constructor() {
    onTestFinished(() => this.assign.mockRestore())
    for (const { id } of toasts.get()) dismissToast(id)
    this.api
      .on(listRoute, () => json(this.stored))
      .on(typesRoute, () => json(['google-gmail', 'google-calendar', 'tavily', 'brave-search']))
      .on(createRoute, ({ body }) => {
        const { name, auth_type, api_key } = body as IntegrationInput
        const key = api_key ? { connected: true, api_key: mask } : {}
        return this.keep({ ...gmail, name, auth_type, ...key })
      })
      .on(consentRoute, () => json({ authUrl: 'https://accounts.example/auth?client_id=y&state=s-1' }))
  }

  /** Stores the integration in place of the one with its name. */
  keep(integration: Integration): Response {
    this.stored = [...this.stored.filter(({ name }) => name !== integration.name), integration]
    return json(integration)
  }

  open(...integrations: readonly Integration[]) {
    this.stored = integrations
    return renderScreen(
      this.api,
      <>
        <IntegrationsSection />
        <ToastRegion />
      </>,
    )
  }

  /** Every request except reads. */
  get writes() {
    return this.api.requests.filter(({ route }) => !route.startsWith('GET'))
  }
}

export const button = (name: string, scope: ReturnType<typeof within> = screen) =>
  scope.getByRole('button', { name })

export const cardOf = async (title: string) =>
  within((await screen.findByRole('heading', { name: title })).closest('li')!)

/** A response that never arrives. */
export const never = () => new Promise<Response>(() => undefined)
