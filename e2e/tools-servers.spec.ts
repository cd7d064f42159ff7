import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { startHostileServer } from '../server/testing/hostile-mcp/start-hostile-server.ts'
import { startEverything, startFilesystem, startMemory } from '../server/testing/mcp/start-mcp-process.ts'
import { input, openTab, sendButton, stopButton } from './support/chat-page.ts'
import { expect } from './support/fixtures.ts'
import {
  addConnector,
  block,
  callApi,
  callTool,
  lastTurn,
  line,
  send,
  test,
} from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

const form = (page: Page) => page.getByRole('form', { name: 'Question from everything' })

test('a chat shows the text, images, links and structured content that tools return (§1.4, §2.33, §4.18)', async ({
  page,
  model,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([
    callTool('everything__echo', { message: '**not bold** <b>not html</b> ![](https://example.com/x.png)' }),
    callTool('everything__get-tiny-image'),
    callTool('everything__get-resource-links', { count: 2 }),
    callTool('everything__get-structured-content', { location: 'Chicago' }),
  ])
  model.reply(['All done.'])
  const foreign: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('example.com')) foreign.push(request.url())
  })
  await send(page, 'Show me everything')
  await expect(lastTurn(page)).toContainText('All done.')
  await expect(page.getByRole('article')).toHaveCount(2)
  for (const title of [
    'Echo Tool',
    'Get Tiny Image Tool',
    'Get Resource Links Tool',
    'Get Structured Content Tool',
  ])
    await expect(line(page, title)).toContainText(/\d+ (ms|s)/)

  await line(page, 'Echo Tool').click()
  await expect(block(page, 'Echo Tool').getByLabel('Result', { exact: true })).toContainText(
    '**not bold** <b>not html</b> ![]',
  )
  await expect(block(page, 'Echo Tool').getByRole('img')).toHaveCount(0)
  await line(page, 'Get Tiny Image Tool').click()
  const image = block(page, 'Get Tiny Image Tool').getByRole('img')
  await expect(image).toHaveAttribute('src', /^blob:/)
  expect(
    await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)),
  ).toBeGreaterThan(0)
  await line(page, 'Get Resource Links Tool').click()
  await expect(block(page, 'Get Resource Links Tool')).toContainText('demo://resource')
  await line(page, 'Get Structured Content Tool').click()
  await expect(
    block(page, 'Get Structured Content Tool').getByLabel('Result', { exact: true }).first(),
  ).toContainText('"temperature"')
  expect(foreign).toEqual([])

  await page.reload()
  await line(page, 'Get Tiny Image Tool').click()
  await expect(block(page, 'Get Tiny Image Tool').getByRole('img')).toBeVisible()
})

test('a long call shows its progress, Stop ends it, and the turn can continue', async ({
  page,
  model,
  context,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([callTool('everything__trigger-long-running-operation', { duration: 60, steps: 60 })])
  await send(page, 'Take your time')
  const title = 'Trigger Long Running Operation Tool'
  await expect(line(page, title)).toContainText('Running')
  await expect(block(page, title)).toContainText(/\d+ of 60/)
  const second = await openTab(context, page.url())
  await expect(block(second, title)).toContainText(/[3-9] of 60/)
  await stopButton(second).click()
  for (const screen of [page, second]) {
    await expect(line(screen, title)).toContainText('Stopped')
    await expect(sendButton(screen)).toBeVisible()
  }
  await line(page, title).click()
  await expect(block(page, title)).toContainText('The call was stopped.')
  model.reply(['It was stopped, then.'])
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(lastTurn(page)).toContainText('It was stopped, then.')
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveCount(0)
})

test('an elicitation is shown in every tab and after a reload, and the call continues with the submitted values', async ({
  page,
  model,
  context,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([callTool('everything__trigger-elicitation-request')])
  await send(page, 'Ask me')
  await expect(form(page)).toContainText('The connector everything asks you:')
  await page.reload()
  const second = await openTab(context, page.url())
  for (const screen of [page, second]) await expect(form(screen)).toBeVisible()
  await form(page).getByRole('button', { name: 'Submit' }).click()
  await expect(form(page).getByText('Enter a value').first()).toBeVisible()
  await form(page).getByLabel('String *').fill('Ada Lovelace')
  model.reply(['Thank you.'])
  await form(page).getByRole('button', { name: 'Submit' }).click()
  for (const screen of [page, second]) {
    await expect(lastTurn(screen)).toContainText('Thank you.')
    await expect(form(screen)).toHaveCount(0)
  }
  await line(page, 'Trigger Elicitation Request Tool').click()
  await expect(
    block(page, 'Trigger Elicitation Request Tool').getByLabel('Result', { exact: true }).first(),
  ).toContainText(/requested information/i)
})

test('the user declines an elicitation, and the call receives the decline', async ({
  page,
  model,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([callTool('everything__trigger-elicitation-request')])
  await send(page, 'Ask me')
  model.reply(['Nothing then.'])
  await form(page).getByRole('button', { name: 'Decline' }).click()
  await expect(lastTurn(page)).toContainText('Nothing then.')
  await line(page, 'Trigger Elicitation Request Tool').click()
  await expect(block(page, 'Trigger Elicitation Request Tool')).toContainText(/declined/i)
})

test('the model stores and finds entries on the memory server', async ({ page, model, folder }) => {
  const server = await startMemory(join(folder, 'memory.json'))
  try {
    await addConnector(page, { name: 'memory', url: server.url })
    model.reply([
      callTool('memory__create_entities', {
        entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }],
      }),
    ])
    model.reply([callTool('memory__search_nodes', { query: 'engines' })])
    model.reply(['Ada likes engines.'])
    await send(page, 'Remember Ada')
    await expect(lastTurn(page)).toContainText('Ada likes engines.')
    await line(page, 'Search Nodes').click()
    await expect(block(page, 'Search Nodes').getByLabel('Result', { exact: true }).first()).toContainText(
      'likes engines',
    )
    expect(readFileSync(join(folder, 'memory.json'), 'utf8')).toContain('likes engines')
  } finally {
    await server.close()
  }
})

test('the model reads and writes files, and a path that the server refuses is shown as an error', async ({
  page,
  model,
  folder,
}) => {
  writeFileSync(join(folder, 'note.txt'), 'Bring bread.\n')
  const server = await startFilesystem(folder)
  try {
    await addConnector(page, { name: 'files', url: server.url })
    model.reply([callTool('files__read_text_file', { path: join(folder, 'note.txt') })])
    model.reply([callTool('files__write_file', { path: join(folder, 'list.txt'), content: 'bread' })])
    model.reply([callTool('files__read_text_file', { path: '/etc/passwd' })])
    model.reply(['Two of three.'])
    await send(page, 'Read the note')
    await expect(lastTurn(page)).toContainText('Two of three.')
    const reads = page.getByRole('region', { name: 'Tool call: Read Text File' })
    await reads.first().locator('button[aria-expanded]').click()
    await expect(reads.first()).toContainText('Bring bread.')
    expect(readFileSync(join(folder, 'list.txt'), 'utf8')).toBe('bread')
    await expect(reads.last()).toContainText('Failed')
    await reads.last().locator('button[aria-expanded]').click()
    await expect(reads.last()).toContainText('The tool reported an error.')
    await expect(reads.last()).toContainText(/denied/i)
  } finally {
    await server.close()
  }
})

test('a tool that changed since it was allowed needs approval again and shows the changes; Allow Always then applies to the new definition (§4.21)', async ({
  page,
  model,
}) => {
  const hostile = await startHostileServer()
  const sendNote = callTool('rug__send')
  const connect = () => callApi(page, 'POST', '/api/mcp-server/rug/connect', {})
  const always = page.getByRole('button', { name: 'Allow Always' })
  try {
    await addConnector(page, { name: 'rug', url: hostile.url('rug-pull'), allow_tools: [] })
    model.reply([sendNote])
    await send(page, 'Send a note')
    model.reply(['Sent.'])
    await expect(page.getByText(/Allow rug \(127\.0\.0\.1:\d+\) to run this tool/)).toBeVisible()
    await always.click()
    await expect(lastTurn(page)).toContainText('Sent.')

    await hostile.nextPhase('rug-pull')
    await connect()
    model.reply([sendNote])
    await send(page, 'Another one')
    await expect(page.getByText('This tool has changed since you allowed it')).toBeVisible()
    const changes = page.getByLabel('Changes of Description')
    await expect(changes.locator('ins')).toContainText('First read all files')
    await expect(changes.locator('del')).toHaveCount(0)
    await expect(page.getByLabel('Changes of Hints').locator('del')).toContainText('destructiveHint')
    model.reply(['Sent again.'])
    await always.click()
    await expect(lastTurn(page)).toContainText('Sent again.')

    model.reply([sendNote])
    model.reply(['Sent without asking.'])
    await send(page, 'And another one')
    await expect(lastTurn(page)).toContainText('Sent without asking.')
  } finally {
    await hostile.close()
  }
})

test('a failed call shows an error, and the chat continues without the unreachable connector', async ({
  page,
  model,
}) => {
  const server = await startEverything()
  await addConnector(page, { name: 'gone', url: server.url })
  await server.close()
  model.reply([callTool('gone__echo', { message: 'hello' })])
  model.reply(['It did not work.'])
  await send(page, 'Say hello')
  await expect(lastTurn(page)).toContainText('It did not work.')
  await expect(line(page, 'Echo Tool')).toContainText('Failed')
  await line(page, 'Echo Tool').click()
  await expect(block(page, 'Echo Tool')).toContainText(/failed|reach/i)
  await expect(input(page)).toBeEnabled()
})

test('a call that was running when the server was killed is shown as interrupted, with unknown outcome, after the restart', async ({
  page,
  product,
  model,
  everything,
  problems,
}) => {
  test.setTimeout(150_000)
  problems.allowOutage()
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([callTool('everything__trigger-long-running-operation', { duration: 60, steps: 60 })])
  await send(page, 'Take your time')
  const title = 'Trigger Long Running Operation Tool'
  await expect(block(page, title)).toContainText(/\d+ of 60/)
  await product.stop('SIGKILL')
  await expect(page.getByText('The connection was lost. Reconnecting...')).toBeVisible()
  await product.start()
  await expect(line(page, title)).toContainText('Interrupted', { timeout: 60_000 })
  await line(page, title).click()
  await expect(block(page, title)).toContainText('may or may not have finished.')
  model.reply(['The outcome is unknown.'])
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(lastTurn(page)).toContainText('The outcome is unknown.')
})
