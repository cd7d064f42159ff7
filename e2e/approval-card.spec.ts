import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { startFilesystem } from '../server/testing/mcp/start-mcp-process.ts'
import { input } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import {
  addConnector,
  block,
  callTool,
  lastTurn,
  line,
  send,
  test as base,
} from './support/tools-fixtures.ts'

base.describe.configure({ timeout: 90_000 })

interface FilesFixture {
  /** A folder of the connector 'files', a server of a third party whose tools all ask. */
  readonly notes: string
}

const test = base.extend<FilesFixture>({
  notes: async ({ page, model: _ }, use) => {
    const notes = mkdtempSync(join(tmpdir(), 'yonder-files-'))
    writeFileSync(join(notes, 'note.txt'), 'Bring bread.\n')
    const server = await startFilesystem(notes)
    await addConnector(page, { name: 'files', url: server.url, allow_tools: [] })
    await use(notes)
    await server.close()
    rmSync(notes, { recursive: true })
  },
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const write = (notes: string, name: string, content: string) =>
  callTool('files__write_file', { path: join(notes, name), content })
const read = (notes: string) => callTool('files__read_text_file', { path: join(notes, 'note.txt') })
const textsOf = (messages: unknown) => JSON.stringify(messages)

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Shift+Tab')
    await expect(button(page, name)).toBeFocused({ timeout: 100 })
  }).toPass()
}

test('a user changes the arguments with the keyboard alone, the tool gets the changed ones, and the model is told', async ({
  page,
  model,
  notes,
  axe,
}) => {
  model.reply(['I will write it.', write(notes, 'list.txt', 'bread')])
  await send(page, 'Write a list')
  const card = block(page, 'Write File')
  await expect(card).toContainText('may delete, says the server')
  await expect(button(page, 'Allow Once')).toBeEnabled()
  await tabTo(page, 'Edit')
  await page.keyboard.press('Enter')
  const content = page.getByLabel('content *')
  await expect(page.getByLabel('path *')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(content).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(' and butter')
  await page.reload()
  await expect(content).toHaveValue('bread and butter')
  await content.focus()
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
  await content.press('Control+Enter')
  await expect(page.getByLabel('Will be sent')).toContainText('"content": "bread and butter"')
  await expect(page.getByLabel('Proposed')).not.toContainText('path')
  await expect(card).toContainText('with your arguments? The model is told what you changed.')
  await expect(button(page, 'Allow Always')).toHaveCount(0)
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
  model.reply(['It is written.'])
  await tabTo(page, 'Allow Once')
  await page.keyboard.press('Enter')
  await expect(lastTurn(page)).toContainText('It is written.')
  expect(readFileSync(join(notes, 'list.txt'), 'utf8')).toBe('bread and butter')
  await expect(line(page, 'Write File')).toContainText(/Edited by you, \d+ ms/)
  expect(textsOf(model.requests.at(-1)?.body.messages)).toContain('bread and butter')
  await page.reload()
  await line(page, 'Write File').click()
  await expect(page.getByLabel('Sent', { exact: true })).toContainText('bread and butter')
})

test('arguments that the tool does not accept are in the editor again, with the reason', async ({
  page,
  model,
  notes,
  problems,
}) => {
  model.reply([write(notes, 'list.txt', 'bread')])
  await send(page, 'Write a list')
  await button(page, 'Edit').click()
  await page.getByRole('switch', { name: 'Edit as JSON' }).click()
  const json = page.getByLabel('Arguments as JSON')
  await json.fill('{\n  "path": 5,\n}')
  await button(page, 'Done').click()
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('This is not valid JSON, line 3.')
  await json.fill('{"path": 5}')
  await json.press('Control+Enter')
  problems.expect(/400|could not be approved/)
  await button(page, 'Allow Once').click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('The call was not made.')
  await expect(json).toHaveValue('{"path": 5}')
  await json.press('Escape')
  await button(page, 'Discard').click()
  await expect(button(page, 'Edit')).toBeFocused()
  model.reply(['Done.'])
  await button(page, 'Allow Once').click()
  await expect(lastTurn(page)).toContainText('Done.')
})

test('a user tells the model why a call is denied, and the chat shows that at the call alone', async ({
  page,
  model,
  notes,
  account: user,
  openDevice,
}) => {
  model.reply([write(notes, 'list.txt', 'bread')])
  await send(page, 'Write a list')
  const device = await openDevice(user, page.url(), { viewport: { width: 390, height: 800 } })
  await expect(button(device, 'Deny with…')).toBeEnabled()
  await tabTo(page, 'Deny with…')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Deny with a reason…' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(button(page, 'Deny with…')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('What should the model know?')).toBeFocused()
  await page.keyboard.type('Use a table.')
  model.reply(['A table, then.'])
  await page.keyboard.press('Enter')
  for (const screen of [page, device]) {
    await expect(lastTurn(screen)).toContainText('A table, then.')
    await expect(screen.getByRole('article')).toHaveCount(2)
    await expect(block(screen, 'Write File')).toContainText(/Denied by you, \d\d:\d\d/)
    await expect(block(screen, 'Write File')).toContainText('“Use a table.”')
  }
  await expect(input(page)).toBeFocused()
  expect(textsOf(model.requests.at(-1)?.body.messages)).toContain('Use a table.')
})

test('of three calls at once each is decided alone, in one card, and they run in their order', async ({
  page,
  model,
  notes,
  axe,
}) => {
  model.reply(['Three steps.', write(notes, 'a.txt', 'a'), read(notes), write(notes, 'b.txt', 'b')])
  await send(page, 'Do three things')
  const card = block(page, 'Write File')
  await expect(card).toContainText(/3 calls.*3 need approval/)
  const later = (title: string) => page.getByRole('region', { name: `Later call: ${title}` })
  await expect(later('Read Text File')).toContainText('only reads, says the server')
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
  await button(page, 'Allow the read').click()
  await expect(later('Read Text File')).toContainText('Allowed. It runs after the calls above are decided.')
  await expect(card).toContainText('2 need approval')
  await later('Write File').getByRole('button', { name: 'Deny: Write File' }).click()
  await expect(later('Write File')).toContainText('Denied.')
  await later('Write File').getByRole('button', { name: 'Undo' }).click()
  await expect(card).toContainText('2 need approval')
  await page.reload()
  await expect(later('Read Text File')).toContainText('Allowed. It runs after')
  await button(page, 'Allow Once').click()
  // The read runs without another question, and the last call asks.
  await expect(line(page, 'Read Text File')).toContainText(/\d+ ms/)
  await expect(block(page, 'Write File')).toContainText('3 of 3')
  model.reply(['Two of three.'])
  await button(page, 'Deny').click()
  await expect(lastTurn(page)).toContainText('Two of three.')
  expect(readFileSync(join(notes, 'a.txt'), 'utf8')).toBe('a')
  expect(() => readFileSync(join(notes, 'b.txt'))).toThrow('ENOENT')
})

test('who decides second is told what was decided, when and where', async ({
  page,
  model,
  notes,
  account: user,
  openDevice,
  problems,
}) => {
  model.reply([read(notes)])
  await send(page, 'Read the note')
  const device = await openDevice(user, page.url())
  await expect(button(device, 'Allow Once')).toBeEnabled()
  problems.expect(/409|could not be denied/)
  // The call is allowed while the denial is on its way.
  let arrive: () => void = () => undefined
  const isAllowed = new Promise<void>((resolve) => (arrive = resolve))
  await device.route('**/api/chat/completions', async (route) => {
    await isAllowed
    await route.continue()
  })
  await button(device, 'Deny').click()
  await expect(device.getByText(/Denied by you/)).toBeVisible()
  model.reply(['It says bread.'])
  await button(page, 'Allow Once').click()
  await expect(lastTurn(page)).toContainText('It says bread.')
  arrive()
  await expect(device.getByText(/^Already allowed at \d\d:\d\d in Chrome on Linux\.$/)).toBeVisible()
  await expect(lastTurn(device)).toContainText('It says bread.')
})

test('a tool is allowed in one chat, and with one argument', async ({ page, model, notes, axe }) => {
  model.reply([read(notes)])
  await send(page, 'Read the note')
  await button(page, 'Allow for…').click()
  await page.getByRole('menuitem', { name: 'Always, but only with…' }).click()
  await expect(page.getByRole('radio')).toBeFocused()
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
  await page.keyboard.press('Escape')
  await expect(button(page, 'Allow for…')).toBeFocused()
  await page.keyboard.press('Enter')
  model.reply(['It says bread.'])
  await page.getByRole('menuitem', { name: 'In this chat' }).click()
  await expect(lastTurn(page)).toContainText('It says bread.')
  await dismissToasts(page)
  model.reply([read(notes)])
  model.reply(['Still bread.'])
  await send(page, 'Read it again')
  await expect(lastTurn(page)).toContainText('Still bread.')
  await expect(line(page, 'Read Text File')).toContainText(/Allowed in this chat, \d+ ms/)
})
