import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Connector, ConnectorInput, Permission, PermissionsInput } from '@yonder/contract/connector'
import { ConnectorsSection } from '../features/connectors/connectors-section.tsx'
import { dismissToast, toasts } from '../lib/toasts.ts'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { renderScreen } from './render-screen.tsx'
import { failure, json, ScriptedApi } from './scripted-api.ts'
import { makeConnector } from './wire-objects.ts'

/** The connectors section with a server that stores connectors; a test can replace the response of any route. */
export class ConnectorsScene {
  readonly api = new ScriptedApi()
  connectors: Connector[]

  constructor(connectors: readonly Connector[] = []) {
    this.connectors = [...connectors]
    for (const { id } of toasts.get()) dismissToast(id)
    this.api
      .on('GET /api/mcp-servers', () => json(this.connectors))
      .on('POST /api/mcp-server', ({ body }) => {
        const connector = makeConnector(body as ConnectorInput as Connector)
        this.connectors = [...this.connectors, connector]
        return json(connector)
      })
    for (const { name } of connectors) this.#serve(name)
  }

  #serve(name: string): void {
    const path = `/api/mcp-server/${encodeURIComponent(name)}`
    const change = (part: Partial<Connector>): Connector => {
      const known = this.connectors.find((connector) => connector.name === name)
      const changed = { ...known, ...part } as Connector
      this.connectors = this.connectors.map((other) => (other === known ? changed : other))
      return changed
    }
    this.api
      .on(`PUT ${path}`, ({ body }) => json(change(body as Partial<Connector>)))
      .on(`PATCH ${path}`, ({ body }) => {
        const { tools, asks } = body as PermissionsInput
        const { allow_tools, block_tools = [] } = change({})
        const names = new Set(tools.map((tool) => tool.name))
        const replace = (list: readonly string[], permission: Permission) => [
          ...list.filter((tool) => !names.has(tool)),
          ...tools.filter((tool) => tool.permission === permission).map((tool) => tool.name),
        ]
        const isList = asks ?? allow_tools !== null
        const listed = (allow_tools !== null) === isList ? (allow_tools ?? []) : []
        return json(
          change({
            allow_tools: isList ? replace(listed, 'allow') : null,
            block_tools: replace(block_tools, 'block'),
          }),
        )
      })
      .on(`DELETE ${path}`, () => {
        this.connectors = this.connectors.filter((connector) => connector.name !== name)
        return new Response(null, { status: 204 })
      })
      .on(`POST ${path}/connect`, () =>
        json({ connector: change({ status: 'connected', error_message: null }), authorization_url: null }),
      )
      .on(`POST ${path}/disconnect`, () => json(change({ status: 'disconnected' })))
  }

  /** Every request except reads: its method, path and body. */
  get writes(): readonly { readonly route: string; readonly body: unknown }[] {
    return this.api.requests
      .filter(({ route }) => !route.startsWith('GET'))
      .map(({ route, body }) => ({ route, body }))
  }

  open(path = '/settings/connectors') {
    return renderScreen(
      this.api,
      <>
        <ConnectorsSection />
        <ToastRegion />
      </>,
      path,
    )
  }

  /** Opens the section and presses a button of a connector's row. */
  async press(button: string, name: string): Promise<void> {
    this.open()
    await screen.findByText(name)
    await userEvent.click(buttonOf(button, rowOf(name)))
  }
}

export function refuse(status: number, message: string): Response {
  return failure(status, 'conflict', message)
}

export const rowOf = (name: string) => within(screen.getByText(name).closest('li')!)

export function buttonOf(name: string | RegExp, where: ReturnType<typeof within> = screen) {
  return where.getByRole('button', { name })
}

export const dialogOf = (name: string) => within(screen.getByRole('dialog', { name }))

/** A promise, for example of a response, which the test resolves later. */
export function defer<Value>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
