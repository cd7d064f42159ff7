import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { BotsScene } from '../../testing/bots-scene.tsx'
import { buttonOf as button, defer } from '../../testing/connectors-scene.tsx'
import { failure, json } from '../../testing/scripted-api.ts'
import { makeBot } from '../../testing/wire-objects.ts'

let scene: BotsScene
type Form = Awaited<ReturnType<BotsScene['openAdd']>>

beforeEach(() => {
  scene = new BotsScene()
})

const modelsRoute = 'POST /api/bot/models'
const testRoute = 'POST /api/bot/test'
const suggestions = (form: Form) =>
  [...(form.getByLabelText<HTMLInputElement>('Model *').list?.options ?? [])].map(({ value }) => value)

describe('the models of the provider', () => {
  it('are suggested when the model field is entered, once for an address, and typing stays free', async () => {
    const odd = '<img src=x onerror=alert(1)>'
    scene.api.on(modelsRoute, () => json({ models: ['gpt-a', odd], omitted: 0 }))
    const form = await scene.openAdd()
    expect(scene.api.seen(modelsRoute)).toEqual([])
    const box = form.getByLabelText('Model *')
    await userEvent.click(box)
    await waitFor(() => expect(suggestions(form)).toEqual(['gpt-a', odd]))
    expect(box).toHaveAccessibleDescription(/2 models are suggested/)
    await userEvent.type(box, 'my-own')
    expect(box).toHaveValue('my-own')
    await userEvent.click(form.getByLabelText('Name *'))
    await userEvent.click(box)
    expect(scene.api.seen(modelsRoute)).toHaveLength(1)
    await userEvent.click(form.getByRole('checkbox', { name: 'Provide your own key' }))
    await userEvent.type(form.getByLabelText('Base URL'), 'https://one.example/v1')
    await userEvent.click(box)
    await waitFor(() => expect(scene.api.seen(modelsRoute)).toHaveLength(2))
    expect(scene.api.seen(modelsRoute)[1]?.body).toEqual({
      name: null,
      base_url: 'https://one.example/v1',
      api_key: null,
      api_type: null,
      custom_api_path: null,
    })
  })

  it('are requested with the name of the stored bot and the mask of its key', async () => {
    scene = new BotsScene([
      makeBot({ name: 'Mine', base_url: 'https://one.example', api_key: 'sk-t••••••••tail' }),
    ])
    const form = await scene.openEdit('Mine')
    await userEvent.type(form.getByLabelText('Name *'), ' renamed')
    await userEvent.click(form.getByLabelText('Model *'))
    expect(scene.api.seen(modelsRoute)[0]?.body).toMatchObject({ name: 'Mine', api_key: 'sk-t••••••••tail' })
  })

  it.each([
    [{ models: [], omitted: 0, problem: 'x refused the API key (401).' }, 'x refused the API key (401).'],
    [{ models: ['a'], omitted: 9_000 }, /1 of 9,001 models are suggested; type any other/],
    [{ models: [], omitted: 0 }, /The provider lists no models/],
  ])('are described below the field: %j', async (list, hint) => {
    scene.api.on(modelsRoute, () => json(list))
    const form = await scene.openAdd()
    await userEvent.click(form.getByLabelText('Model *'))
    await waitFor(() => expect(form.getByLabelText('Model *')).toHaveAccessibleDescription(hint))
  })

  it('are requested again after a request has failed', async () => {
    scene.api.on(modelsRoute, () => failure(429, 'rate_limited', 'Too many requests.'))
    const form = await scene.openAdd()
    await userEvent.click(form.getByLabelText('Model *'))
    expect(await form.findByText('Too many requests.')).toBeVisible()
    await userEvent.click(form.getByLabelText('Name *'))
    await userEvent.click(form.getByLabelText('Model *'))
    await waitFor(() => expect(scene.api.seen(modelsRoute)).toHaveLength(2))
  })
})

describe('Test', () => {
  const fine = 'The model replied in 0.4 s, streams its replies and accepts tools.'

  it('says what works, once for two clicks, and until the draft changes', async () => {
    const reply = defer<Response>()
    scene.api.on(testRoute, () => reply.promise)
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Model *'), ' m ')
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.type(form.getByLabelText('Title model'), 'namer')
    await userEvent.click(button('Test', form))
    const busy = button('Testing...', form)
    expect(busy).toHaveAttribute('aria-busy', 'true')
    await userEvent.click(busy)
    reply.resolve(json({ works: true, message: fine }))
    expect(await form.findByText(fine)).toHaveRole('status')
    expect(scene.api.seen(testRoute)).toHaveLength(1)
    expect(scene.api.seen(testRoute)[0]?.body).toMatchObject({
      name: null,
      model: 'm',
      title_model: 'namer',
      base_url: null,
    })
    expect(scene.writes).toEqual([])
    await userEvent.type(form.getByLabelText('Model *'), '2')
    expect(form.queryByText(fine)).not.toBeInTheDocument()
  })

  it('shows what is wrong, and why it could not be tested', async () => {
    scene.api.on(testRoute, () => json({ works: false, code: 'upstream_error', message: 'Wrong path.' }))
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Test', form))
    expect(await form.findByText('Wrong path.')).toBeVisible()
    scene.api.on(testRoute, () => failure(400, 'invalid_request', 'base_url: must be a web address'))
    await userEvent.click(button('Test', form))
    expect(await form.findByText('Base URL: must be a web address')).toBeVisible()
  })

  it('requires a model, and sends nothing without one (§5.5)', async () => {
    const form = await scene.openAdd()
    await userEvent.click(button('Test', form))
    expect(form.getByText('Please fill in all required fields')).toHaveRole('alert')
    expect(form.getByLabelText('Model *')).toHaveFocus()
    expect(scene.api.seen(testRoute)).toEqual([])
  })

  it('shows nothing for a draft that has changed meanwhile', async () => {
    const reply = defer<Response>()
    scene.api.on(testRoute, () => reply.promise)
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Test', form))
    await userEvent.type(form.getByLabelText('Model *'), '2')
    expect(button('Test', form)).not.toHaveAttribute('aria-busy')
    reply.resolve(json({ works: true, message: fine }))
    await userEvent.type(form.getByLabelText('Model *'), '3')
    expect(form.queryByText(fine)).not.toBeInTheDocument()
  })

  it('ends when the dialog is closed', async () => {
    const reply = defer<Response>()
    scene.api.on(testRoute, () => reply.promise)
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Test', form))
    await userEvent.click(button('Cancel', form))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    reply.resolve(json({ works: true, message: fine }))
    await userEvent.click(button('Add Bot'))
    expect(screen.queryByText(fine)).not.toBeInTheDocument()
  })
})

describe('an Ollama that the server has found', () => {
  const local = { base_url: 'http://127.0.0.1:11434/v1', models: ['llama3:8b', 'qwen3'] }

  it('is offered in Add Bot, and a click on a model fills in the form', async () => {
    scene.api.on('GET /api/bot/local-models', () => json({ local }))
    const form = await scene.openAdd()
    await userEvent.click(await form.findByRole('button', { name: 'qwen3' }))
    expect(form.getByLabelText('Model *')).toHaveValue('qwen3')
    expect(form.getByLabelText('Base URL')).toHaveValue(local.base_url)
    await userEvent.type(form.getByLabelText('Name *'), 'Local')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ model: 'qwen3', base_url: local.base_url, api_key: null })
  })

  it('is named by its address, which may be that of another machine', async () => {
    scene.api.on('GET /api/bot/local-models', () =>
      json({ local: { ...local, base_url: 'http://nas:11434/v1' } }),
    )
    const form = await scene.openAdd()
    expect(await form.findByRole('region', { name: 'Models of Ollama at nas:11434' })).toBeVisible()
  })

  it('is not offered when a bot is edited', async () => {
    scene = new BotsScene([makeBot({ name: 'Mine' })])
    scene.api.on('GET /api/bot/local-models', () => json({ local }))
    await scene.openEdit('Mine')
    expect(screen.queryByText(/Ollama/)).not.toBeInTheDocument()
  })

  it('is not mentioned without one', async () => {
    const form = await scene.openAdd()
    expect(scene.api.seen('GET /api/bot/local-models')).toHaveLength(1)
    expect(form.queryByText(/Ollama/)).not.toBeInTheDocument()
  })
})
