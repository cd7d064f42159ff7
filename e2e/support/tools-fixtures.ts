import type { Page } from '@playwright/test'
import {
  startScriptedModel,
  type ScriptedModel,
  type Step,
} from '../../server/testing/models/scripted-model.ts'
import { sendButton, writeMessage } from './chat-page.ts'
import { expect, test as base } from './fixtures.ts'

interface ToolFixtures {
  /** The scripted model of the user's only bot. */
  readonly model: ScriptedModel
}

/** Tests in which the user has one bot, whose model follows the script of the test. `page` shows the home page. */
export const test = base.extend<ToolFixtures>({
  model: async ({ page, account: _ }, use) => {
    const model = await startScriptedModel()
    await callApi(page, 'DELETE', '/api/bot/Yonder%20Demo')
    await callApi(page, 'POST', '/api/bot', {
      name: 'Scripted',
      model: 'scripted',
      base_url: model.baseUrl,
    })
    await page.goto('/')
    await use(model)
    await model.close()
  },
})

/** Calls the API as the user who is signed in on the page, and expects success. A run is accepted, not awaited. */
export async function callApi<Result = unknown>(
  page: Page,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const { status, text } = await page.evaluate(
    async ([requestMethod, address, requestBody, more]) => {
      const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:')) ?? ''
      const { accessToken } = JSON.parse(localStorage.getItem(key) ?? '{}') as { accessToken: string }
      const authorization = `Bearer ${accessToken}`
      const response = await fetch(address, {
        method: requestMethod,
        headers: { authorization, 'content-type': 'application/json', prefer: 'respond-async', ...more },
        ...(requestBody === '' ? {} : { body: requestBody }),
      })
      return { status: response.status, text: await response.text() }
    },
    [method, path, body === undefined ? '' : JSON.stringify(body), headers] as const,
  )
  expect(status, text).toBeLessThan(300)
  return (text === '' ? undefined : JSON.parse(text)) as Result
}

/** Adds a connector and connects it. Without `allow_tools` its tools run without approval. */
export async function addConnector(
  page: Page,
  fields: { name: string; url: string; allow_tools?: readonly string[] | null },
): Promise<void> {
  await callApi(page, 'POST', '/api/mcp-server', { allow_tools: null, ...fields })
  await callApi(page, 'POST', `/api/mcp-server/${encodeURIComponent(fields.name)}/connect`, {})
}

/** A step of the model that calls a tool by its prefixed name. */
export const callTool = (name: string, values: object = {}): Step => ({
  toolCall: { name, arguments: JSON.stringify(values) },
})

export const lastTurn = (page: Page) => page.getByRole('article').last()
/** Returns the newest block of a tool by its title. */
export const block = (page: Page, title: string) =>
  page.getByRole('region', { name: `Tool call: ${title}` }).last()
/** Returns the line that expands and collapses a block. */
export const line = (page: Page, title: string) => block(page, title).locator('button[aria-expanded]')

/** Sends a message when no reply is running, and waits until the page shows its chat. */
export async function send(page: Page, text: string): Promise<void> {
  await expect(sendButton(page)).toBeVisible()
  await writeMessage(page, text)
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
}
