import type { Page } from '@playwright/test'
import type { Project } from '@yonder/contract/project'
import { input, openTab, writeMessage } from './support/chat-page.ts'
import { writeChats } from './support/database-rows.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, test } from './support/tools-fixtures.ts'

const addProject = (page: Page, fields: Partial<Project> & { readonly instructions?: string }) =>
  callApi<Project>(page, 'POST', '/api/project', fields)
const head = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const panel = (page: Page) => page.getByRole('tabpanel')
const reply = (page: Page, text: string) => page.getByRole('article').getByText(text, { exact: true })

for (const { look, ...window } of looks)
  test(`a project has the chats that begin in it, tells their model its instructions, and leaves them when it is deleted: ${look}`, async ({
    page,
    model,
    axe,
    problems,
  }) => {
    // The page may read its project again before it is left.
    problems.allow(/api\/project\/.*404/)
    await setLook(page, window)
    const { id } = await addProject(page, { name: 'Thesis' })
    await page.goto(`/project/${id}`)
    await expect(head(page, 'Thesis')).toBeVisible()
    await expect(page).toHaveTitle('Thesis · Yonder')
    await expect(panel(page)).toContainText('No chats yet')
    await axe(page)

    // By keys alone, from the input on.
    await expect(input(page)).toBeFocused()
    await page.getByRole('tab', { name: 'Chats' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Cite every figure.')
    await expect(panel(page)).toContainText('18 characters, about 5 tokens of every message')
    await axe(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('alertdialog', { name: 'Discard changes?' })).toBeVisible()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Project "Thesis" updated')).toBeVisible()

    model.reply(['Two of five.', { finish: 'stop' }])
    await writeMessage(page, 'Sources on tidal energy')
    await expect(page).toHaveURL(/\/chat\//)
    await expect(reply(page, 'Two of five.')).toBeVisible()
    expect(model.requests.at(-1)?.body.messages).toEqual([
      { role: 'system', content: 'Cite every figure.' },
      { role: 'user', content: 'Sources on tidal energy' },
    ])

    await page.goto(`/project/${id}`)
    const chat = panel(page).getByRole('link', { name: /^Sources on tidal energy/ })
    await expect(chat).toBeVisible()
    await dismissToasts(page)
    await axe(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Project actions' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const name = page.getByRole('dialog', { name: 'Edit project' }).getByLabel('Name *')
    await name.fill('Dissertation')
    await axe(page)
    await name.press('Enter')
    await expect(head(page, 'Dissertation')).toBeVisible()
    await page.getByRole('button', { name: 'Project actions' }).press('ArrowUp')
    await page.keyboard.press('Enter')
    const question = page.getByRole('alertdialog', { name: 'Delete the project “Dissertation”?' })
    await expect(question).toContainText(
      'Its chat is kept, in no project. The project and its instructions cannot',
    )
    await axe(page)
    await question.getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(page.getByText('Welcome,')).toBeVisible()
    const { chats } = await callApi<{ chats: object[] }>(page, 'GET', '/api/chat-list?section=recent')
    expect(chats).toMatchObject([{ title: 'Sources on tidal energy' }])
  })

test('a chat follows the instructions of the project that it is moved to from the next message on', async ({
  page,
  model,
}) => {
  const { id } = await addProject(page, { name: 'Sweden', instructions: 'It is about Sweden.' })
  await page.goto(`/project/${id}`)
  model.reply(['Hej.', { finish: 'stop' }])
  await writeMessage(page, 'Hello')
  await expect(reply(page, 'Hej.')).toBeVisible()
  await page
    .getByRole('navigation', { name: 'Chats' })
    .getByRole('link', { name: /^Hello/ })
    .waitFor({ state: 'detached' })

  await page.goto(`/project/${id}`)
  await panel(page)
    .getByRole('link', { name: /^Hello/ })
    .press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Move to project…' }).press('Enter')
  await page.getByRole('button', { name: 'New project…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByLabel('Name *').fill('Norway')
  await dialog.getByLabel('Name *').press('Enter')
  await expect(panel(page)).toContainText('No chats yet')
  const projects = await callApi<Project[]>(page, 'GET', '/api/projects')
  const norway = projects.find(({ name }) => name === 'Norway')!
  await callApi(page, 'PUT', `/api/project/${norway.id}`, { instructions: 'It is about Norway.' })
  await page.goto(`/project/${norway.id}`)
  await panel(page)
    .getByRole('link', { name: /^Hello/ })
    .press('Enter')
  await expect(reply(page, 'Hej.')).toBeVisible()
  model.reply(['Hei.', { finish: 'stop' }])
  await writeMessage(page, 'Again')
  await expect(reply(page, 'Hei.')).toBeVisible()
  expect(model.requests.at(-1)?.body.messages?.[0]).toEqual({
    role: 'system',
    content: 'It is about Norway.',
  })
})

test('what is typed in a project that another tab deletes is not lost, and starts a chat in no project', async ({
  page,
  model,
  context,
  problems,
}) => {
  problems.expect(/api\/project\/.*404/)
  const { id } = await addProject(page, { name: 'Thesis', instructions: 'Cite every figure.' })
  await page.goto(`/project/${id}`)
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  await input(page).fill('A long question')
  const other = await openTab(context, `/project/${id}`)
  await other.getByRole('button', { name: 'Project actions' }).click()
  await other.getByRole('menuitem', { name: 'Delete…' }).click()
  await other.getByRole('button', { name: 'Delete' }).click()
  await expect(head(page, 'The project “Thesis” was deleted')).toBeVisible()
  await expect(input(page)).toHaveValue('A long question')
  model.reply(['An answer.', { finish: 'stop' }])
  await input(page).press('Enter')
  await expect(reply(page, 'An answer.')).toBeVisible()
  expect(model.requests.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'A long question' }])
})

test.describe('where users may delete', () => {
  test.use({ installation: 'self-service' })

  for (const { look, ...window } of looks)
    test(`a project is deleted alone, or with its chats, which come back: ${look}`, async ({
      page,
      user,
      product,
      axe,
      problems,
    }) => {
      // The page may read its project again before it is left.
      problems.allow(/api\/project\/.*404/)
      await setLook(page, window)
      const { id } = await addProject(page, { name: 'Thesis' })
      const now = Date.now()
      const chats = ['Sources', 'Outline'].map((title, index) => ({
        id: `${title}-${now}`,
        title,
        updated_at: now - index,
        project_id: id,
      }))
      await writeChats(product.dataDir, user.email, chats)
      const ask = async () => {
        await page.goto(`/project/${id}`)
        await page.getByRole('button', { name: 'Project actions' }).press('ArrowUp')
        await page.keyboard.press('Enter')
      }
      await ask()
      const question = page.getByRole('alertdialog', { name: 'Delete the project “Thesis”?' })
      const keep = question.getByRole('radio', { name: 'Keep its 2 chats' })
      await expect(keep).toBeChecked()
      await axe(page)
      await expectNoSidewaysScroll(page)
      await keep.focus()
      await page.keyboard.press('ArrowDown')
      await expect(question.getByRole('radio', { name: 'Delete them too' })).toBeChecked()
      await page.keyboard.press('Escape')
      await expect(panel(page).getByRole('link')).toHaveText([/^Sources/, /^Outline/])

      // The choice is not kept.
      await page.getByRole('button', { name: 'Project actions' }).press('ArrowUp')
      await page.keyboard.press('Enter')
      await expect(keep).toBeChecked()
      await keep.press('ArrowDown')
      await question.getByRole('button', { name: 'Delete' }).press('Enter')
      await expect(page.getByText('Welcome,')).toBeVisible()
      await expect(page.getByText('Project and its 2 chats deleted')).toBeVisible()
      await page.goto('/deleted')
      const deleted = page.getByRole('list', { name: 'Recently deleted' })
      await expect(deleted).toContainText('Sources')
      await expect(deleted).toContainText('Outline')
    })
})

test('chats are dragged into a project and out of it, several at once, and a move is undone', async ({
  page,
  user,
  product,
}) => {
  const thesis = await addProject(page, { name: 'Thesis' })
  const now = Date.now()
  const chats = ['Sources', 'Outline', 'Recipe'].map((title, index) => ({
    id: `${title}-${now}`,
    title,
    updated_at: now - index,
  }))
  await writeChats(product.dataDir, user.email, chats)
  await page.evaluate(() => localStorage.removeItem('chat_list_wide'))
  await page.goto('/')
  const list = page.getByRole('navigation', { name: 'Chats' })
  const today = list.getByRole('list', { name: 'Today' }).getByRole('link')
  const project = list.getByRole('link', { name: 'Thesis' })
  const inProject = list.getByRole('list', { name: 'Projects' }).getByRole('link')
  await expect(today).toHaveText(['Sources', 'Outline', 'Recipe'])

  // While it is over the project, that shows where the chat would go; Escape leaves everything as it was.
  const row = project.locator('xpath=ancestor::li')
  await today.filter({ hasText: 'Outline' }).hover()
  await page.mouse.down()
  await project.hover()
  await project.hover()
  await expect(row).toHaveAttribute('data-drop')
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await expect(row).not.toHaveAttribute('data-drop')
  await expect(today).toHaveText(['Sources', 'Outline', 'Recipe'])

  await today.filter({ hasText: 'Outline' }).dragTo(project)
  await expect(today).toHaveText(['Sources', 'Recipe'])
  await expect(page.getByText('Chat moved')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(today).toHaveText(['Sources', 'Outline', 'Recipe'])

  // Several at once: all that are selected.
  await today.filter({ hasText: 'Outline' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  await list.getByRole('button', { name: 'Recipe' }).dragTo(project)
  await expect(today).toHaveText(['Sources'])
  const read = () => callApi<{ chats: number }>(page, 'GET', `/api/project/${thesis.id}`)
  expect(await read()).toMatchObject({ chats: 2 })

  await list.getByRole('button', { name: 'Show the chats of Thesis' }).click()
  await expect(inProject).toHaveText(['Thesis', 'Outline', 'Recipe'])
  await inProject.filter({ hasText: 'Recipe' }).dragTo(today.first())
  await expect(today).toHaveText(['Sources', 'Recipe'])
  await expect(inProject).toHaveText(['Thesis', 'Outline'])
})

for (const { look, ...window } of looks)
  test(`a user with many projects still sees the chats of today, and lists all projects by keys: ${look}`, async ({
    page,
    user,
    product,
    axe,
  }) => {
    await setLook(page, window)
    for (let index = 10; index < 40; index++) await addProject(page, { name: `Project ${index}` })
    const now = Date.now()
    await writeChats(product.dataDir, user.email, [{ id: `c${now}`, title: 'Sources', updated_at: now }])
    await page.evaluate(() => localStorage.removeItem('chat_list_wide'))
    await page.goto('/')
    if (window.viewport.width < 1024) await page.getByRole('button', { name: 'Chats', exact: true }).click()
    const list = page.getByRole('navigation', { name: 'Chats' })
    await expect(list.getByRole('link', { name: 'Sources' })).toBeInViewport()
    await expect(list.getByRole('link', { name: /^Project/ })).toHaveCount(5)
    await axe(page)
    await list.getByRole('link', { name: 'Project 14' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await expect(list.getByRole('link', { name: 'Sources' })).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(list.getByRole('button', { name: 'Show fewer projects' })).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(list.getByRole('link', { name: 'Project 39' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(list.getByRole('link', { name: /^Project/ })).toHaveCount(5)
    await expect(list.getByRole('button', { name: 'Show all 30 projects' })).toBeFocused()
  })
