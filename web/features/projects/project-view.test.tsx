import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ProjectDetails } from '@yonder/contract/project'
import { expect, test } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { owlAndFox } from '../../testing/wire-objects.ts'
import { HomeView } from '../chat/home-view.tsx'
import { ProjectView } from './project-view.tsx'

const thesis: ProjectDetails = {
  id: 'k1',
  name: 'Thesis',
  bot: 'Fox',
  instructions: 'Cite every figure.',
  chats: 2,
}

function open(fields: Partial<ProjectDetails> = {}) {
  let project = { ...thesis, ...fields }
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/projects', () => json([project]))
    .on('GET /api/project/k1', () => json(project))
    .on('PUT /api/project/k1', ({ body }) => {
      project = { ...project, ...(body as Partial<ProjectDetails>) }
      return json(project)
    })
    .on('DELETE /api/project/k1', () => json({ deleted_chats: [] }))
  const view = renderScreen(api, <ProjectView projectId="k1" chats={<p>Its chats</p>} />, '/project/k1')
  return { api, view }
}

const input = () => screen.getByPlaceholderText('Type your message...')
const bots = () => screen.findByRole('combobox', { name: 'Bot' })
const tab = (name: string) => screen.getByRole('tab', { name })
const editor = () => screen.getByLabelText('Instructions for all chats of this project')

test('a chat begins in the project, with its bot or the one that is chosen, and home keeps its own', async () => {
  localStorage.setItem('home_page_selected_bot', 'Owl')
  const { api, view } = open()
  expect(await screen.findByRole('heading', { name: 'Thesis' })).toBeVisible()
  expect(screen.getByText('2 chats, new ones with Fox')).toBeVisible()
  expect(screen.getByText('Its chats')).toBeVisible()
  expect(await bots()).toHaveValue('Fox')
  await userEvent.selectOptions(await bots(), 'Owl')
  await userEvent.selectOptions(await bots(), 'Fox')
  api.on('GET /api/chat/id', () => json({ id: 'c1' }))
  await userEvent.type(input(), 'Begin here{Enter}')
  await waitFor(() => expect(view.path()).toBe('/chat/c1'))
  expect(api.seen('GET /api/chat/id')[0]?.query.get('project')).toBe('k1')
  expect(localStorage.getItem('newChat_c1_message')).toBe('Begin here')
  expect(localStorage.getItem('newChat_c1_bot')).toBe('Fox')
  expect(localStorage.getItem('home_page_selected_bot')).toBe('Owl')
})

test('without a bot of the project, or with a deleted one, the ordinary rule selects', async () => {
  localStorage.setItem('home_page_selected_bot', 'Fox')
  const { view } = open({ bot: null })
  expect(await bots()).toHaveValue('Fox')
  view.unmount()
  localStorage.removeItem('home_page_selected_bot')
  open({ bot: null })
  expect(await bots()).toHaveValue('Owl')
})

test('a project that another tab has deleted says so, loses no text, and its messages begin chats in no project', async () => {
  expectConsole('error', /Error creating chat with message/)
  const { api, view } = open()
  await bots()
  await screen.findByText('Its chats')
  const gone = () => failure(404, 'not_found', 'There is no such project. It may have been deleted.')
  api.on('GET /api/project/k1', gone).on('GET /api/chat/id', gone)
  await userEvent.type(input(), 'Keep me{Enter}')
  await waitFor(() => expect(screen.queryByRole('tablist')).toBeNull())
  await userEvent.type(input(), 'Next')
  expect(screen.getByRole('heading')).toHaveTextContent('The project “Thesis” was deleted')
  expect(screen.getByText(/Not sent\. There is no such project/)).toBeVisible()
  expect(input()).toHaveValue('Next')
  api.on('GET /api/chat/id', () => json({ id: 'c2' }))
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c2'))
  expect(api.seen('GET /api/chat/id').map(({ query }) => query.get('project'))).toEqual(['k1', null])
})

test('a message that an outage kept in the project is offered on the home page too, and stays in its project', async () => {
  expectConsole('error', /Error creating chat with message/)
  const { api, view } = open()
  await bots()
  await screen.findByText('Its chats')
  api.on('GET /api/chat/id', () => failure(503, 'unavailable', 'Down.'))
  await userEvent.type(input(), 'Later{Enter}')
  await screen.findByText(/Not sent/)
  api
    .on('GET /api/chat/id', () => json({ id: 'c3' }))
    .on('GET /api/integrations', () => json([]))
    .on('GET /api/chat-list', () => json({ chats: [], next: null }))
  view.redraw(<HomeView userName="Ada" />)
  await userEvent.click(await screen.findByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c3'))
  expect(api.seen('GET /api/chat/id').at(-1)?.query.get('project')).toBe('k1')
})

test('instructions are counted, saved, and kept on the way while they are not', async () => {
  const { api, view } = open()
  const user = userEvent.setup()
  await user.click(await screen.findByRole('tab', { name: 'Instructions' }))
  expect(editor()).toHaveValue('Cite every figure.')
  expect(screen.getByText('18 characters, about 5 tokens of every message')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  await user.type(editor(), ' Be brief.')
  expect(tab('Instructions (not saved)')).toBeVisible()

  await user.keyboard('{Escape}')
  const question = await screen.findByRole('alertdialog', { name: 'Discard changes?' })
  await user.click(within(question).getByRole('button', { name: 'Keep editing' }))
  await user.click(tab('Chats'))
  view.redraw(null)
  view.redraw(<ProjectView projectId="k1" chats={null} />)
  expect(await screen.findByLabelText('Instructions for all chats of this project')).toHaveValue(
    'Cite every figure. Be brief.',
  )
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(tab('Instructions')).toBeVisible())
  expect(api.seen('PUT /api/project/k1').map(({ body }) => body)).toEqual([
    { instructions: 'Cite every figure. Be brief.' },
  ])

  await user.clear(editor())
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  expect(editor()).toHaveValue('Cite every figure. Be brief.')
  expect(Object.keys(localStorage).filter((key) => key.startsWith('project_'))).toEqual([])
})

test('instructions that are too long are not sent, and others that were saved meanwhile are mentioned', async () => {
  localStorage.setItem('project_k1_instructions', 'x'.repeat(50_001))
  const { api } = open()
  const user = userEvent.setup()
  expect(await screen.findByText(/^50,001 of 50,000 characters/)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  await user.type(editor(), '{Backspace}')
  expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled()
  await user.click(screen.getByRole('button', { name: 'Project actions' }))
  const changed = () => json({ ...thesis, bot: null, instructions: 'From another tab' })
  api.on('PUT /api/project/k1', changed).on('GET /api/project/k1', changed)
  await user.click(screen.getByRole('menuitem', { name: 'Name and bot…' }))
  await user.selectOptions(within(screen.getByRole('dialog')).getByLabelText('Bot'), '')
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/Other instructions were saved in another tab/)).toBeVisible()
  expect(api.seen('PUT /api/project/k1')[0]?.body).toEqual({ name: 'Thesis', bot: null })
})

test.each([
  [14, 'Its 14 chats are kept, in no project.'],
  [1, 'Its chat is kept, in no project.'],
  [0, 'It has no chats.'],
])('deleting a project with %i chats says what becomes of them', async (chats, sentence) => {
  const { api, view } = open({ chats })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Project actions' }))
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }))
  const question = screen.getByRole('alertdialog', { name: 'Delete the project “Thesis”?' })
  expect(question).toHaveTextContent(sentence)
  await user.click(within(question).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(view.path()).toBe('/'))
  expect(api.seen('DELETE /api/project/k1')).toHaveLength(1)
})
