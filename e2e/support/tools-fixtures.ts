import type { BrowserContext, Page } from '@playwright/test'
import { startScriptedModel } from '../../server/testing/models/scripted-model.ts'
import type { ScriptedModel, Step } from '../../server/testing/models/scripted-model.ts'
import { expect, test as base } from './fixtures.ts'
import { writeMessage } from './write-message.ts'

interface ToolFixtures {
  /** What the one bot of the person answers with; its page is `page`. */
  readonly model: ScriptedModel
}

/** Somebody who is signed in on `page`, with a bot that says what the test wants. */
export const test = base.extend<ToolFixtures>({
  model: async ({ page, person: _ }, use) => {
    const model = await startScriptedModel()
    await callApi(page, 'DELETE', '/api/bot/Yonder%20Demo')
    await callApi(page, 'POST', '/api/bot', {
      name: 'Scripted',
      model: 'scripted',
      base_url: model.baseUrl,
    })
    await page.reload()
    await use(model)
    await model.close()
  },
})

/** Calls the server as the person who is signed in on the page. */
export async function callApi<Answer = unknown>(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const { status, text } = await page.evaluate(
    async ([how, where, what]) => {
      const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:')) ?? ''
      const { accessToken } = JSON.parse(localStorage.getItem(key) ?? '{}') as { accessToken: string }
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
      const answer = await fetch(where, { method: how, headers, ...(what === '' ? {} : { body: what }) })
      return { status: answer.status, text: await answer.text() }
    },
    [method, path, body === undefined ? '' : JSON.stringify(body)] as const,
  )
  expect(status, text).toBeLessThan(300)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** A connector of the person, connected; without a list every tool of it runs at once. */
export async function addConnector(
  page: Page,
  fields: { name: string; url: string; allow_tools?: readonly string[] | null },
): Promise<void> {
  await callApi(page, 'POST', '/api/mcp-server', { allow_tools: null, ...fields })
  await callApi(page, 'POST', `/api/mcp-server/${encodeURIComponent(fields.name)}/connect`, {})
}

/** A step of the model that calls a tool by the name that the model knows it by. */
export const callTool = (name: string, values: object = {}): Step => ({
  toolCall: { name, arguments: JSON.stringify(values) },
})

export const input = (page: Page) => page.getByPlaceholder('Type your message...')
export const sendButton = (page: Page) => page.getByRole('button', { name: 'Send message' })
export const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })
export const lastTurn = (page: Page) => page.getByRole('article').last()
/** The block of a tool, by its title. */
export const block = (page: Page, title: string) =>
  page.getByRole('region', { name: `Tool call: ${title}` }).last()
/** The line that opens and closes a block. */
export const line = (page: Page, title: string) => block(page, title).locator('button[aria-expanded]')

export async function send(page: Page, text: string): Promise<void> {
  await expect(sendButton(page)).toBeVisible()
  await writeMessage(page, text)
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
}

export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(url)
  return tab
}
