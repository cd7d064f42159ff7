import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Bot } from '@yonder/contract/bot'
import { BotsSection } from '../features/bots/bots-section.tsx'
import { dismissToast, toasts } from '../lib/toasts.ts'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { buttonOf, dialogOf, rowOf } from './connectors-scene.tsx'
import { renderScreen } from './render-screen.tsx'
import { json, ScriptedApi } from './scripted-api.ts'
import { makeBot } from './wire-objects.ts'

/** Requests that change nothing, although they are not GET requests. */
const readOnlyRoutes = ['POST /api/bot/models', 'POST /api/bot/test']

/** The bots section with a server that stores bots; a test can replace the response of any route. */
export class BotsScene {
  readonly api = new ScriptedApi()
  bots: Bot[]

  constructor(bots: readonly Bot[] = []) {
    this.bots = [...bots]
    for (const { id } of toasts.get()) dismissToast(id)
    this.api
      .on('GET /api/bots', () => json(this.bots))
      .on('POST /api/bot', ({ body }) => {
        const bot = makeBot(body as Bot)
        this.bots = [...this.bots, bot]
        return Response.json(bot, { status: 201 })
      })
      .on('POST /api/bot/models', () => json({ models: [], omitted: 0 }))
      .on('GET /api/bot/local-models', () => json({ local: null }))
    for (const { name } of bots) this.#serve(name)
  }

  #serve(name: string): void {
    const path = `/api/bot/${encodeURIComponent(name)}`
    this.api
      .on(`PUT ${path}`, ({ body }) => {
        const changed = makeBot(body as Bot)
        this.bots = this.bots.map((bot) => (bot.name === name ? changed : bot))
        return json(changed)
      })
      .on(`DELETE ${path}`, () => {
        this.bots = this.bots.filter((bot) => bot.name !== name)
        return new Response(null, { status: 204 })
      })
  }

  /** Every request that changes something: its route and body. */
  get writes(): readonly { readonly route: string; readonly body: unknown }[] {
    return this.api.requests
      .filter(({ route }) => !route.startsWith('GET') && !readOnlyRoutes.includes(route))
      .map(({ route, body }) => ({ route, body }))
  }

  open() {
    return renderScreen(
      this.api,
      <>
        <BotsSection />
        <ToastRegion />
      </>,
      '/settings/bots',
    )
  }

  /** Opens the dialog for a new bot. */
  async openAdd() {
    this.open()
    await userEvent.click(await screen.findByRole('button', { name: 'Add Bot' }))
    return dialogOf('Add New Bot')
  }

  /** Opens the dialog that edits a bot. */
  async openEdit(name: string) {
    this.open()
    await screen.findByText(name)
    await userEvent.click(buttonOf('Edit', rowOf(name)))
    return dialogOf('Edit Bot')
  }
}
