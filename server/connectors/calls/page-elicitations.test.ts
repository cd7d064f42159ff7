import type { Elicitation } from '@yonder/contract/elicitation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  impatientLimits,
  openHostileScene,
  type HostileScene,
} from '../../testing/hostile-mcp/open-hostile-scene.ts'

describe('a tool that asks the user to open a page', () => {
  let scene: HostileScene
  let connectorName: string
  const seen: Elicitation[] = []
  const countCalls = async (behaviour: string) =>
    (await scene.hostile.seen(behaviour)).filter(({ rpc }) => rpc === 'tools/call').length

  beforeAll(async () => {
    scene = await openHostileScene({
      ...impatientLimits,
      connectTimeoutMs: 10_000,
      listPageTimeoutMs: 10_000,
    })
  })
  afterAll(() => scene.close())

  const answerWith = (action: 'accept' | 'decline') => (elicitation: Elicitation) => {
    seen.push(elicitation)
    return Promise.resolve({ action })
  }

  it('waits for the user on the page, which is not counted as idle time', async () => {
    connectorName = await scene.connect('page-wait')
    const outcome = await scene.call({ connectorName, onElicit: answerWith('accept') })
    expect(outcome).toMatchObject({ status: 'done', text: 'paid' })
    expect(seen.at(-1)).toEqual({
      message: 'Pay here',
      fields: [],
      page: { address: 'http://pay.example/1', needs_continue: false },
    })
    const answers = (await scene.hostile.seen('page-wait')).filter(({ rpc }) => rpc === '')
    expect(answers.some(({ body }) => body.includes('"action":"accept"'))).toBe(true)
  })

  it('is called again after the user has opened the page that its error names', async () => {
    connectorName = await scene.connect('page-first')
    const outcome = await scene.call({ connectorName, onElicit: answerWith('accept') })
    expect(outcome).toMatchObject({ status: 'done', text: 'signed in' })
    expect(seen.at(-1)).toEqual({
      message: 'Sign in first',
      fields: [],
      page: { address: 'https://xn--pple-43d.example/sign-in?state=1', needs_continue: true },
    })
    expect(await countCalls('page-first')).toBe(2)
  })

  it('is not called again when the user declines', async () => {
    expect(await scene.call({ connectorName, onElicit: answerWith('decline') })).toMatchObject({
      status: 'failed',
      text: 'The tool failed: The user did not open the page that the tool needs, so the tool was not called again.',
    })
    expect(await countCalls('page-first')).toBe(3)
  })

  it.each([
    [
      'has an address that is not accepted',
      'page-first-refused',
      'The server asked the user to open a page whose address is not accepted, so the page was not shown and the tool was not called again.',
    ],
    ['is not named', 'page-first-unnamed', 'The server asked the user to open a page and named none.'],
  ])('says that the page %s, which the user never sees', async (_name, behaviour, reason) => {
    connectorName = await scene.connect(behaviour)
    const shownBefore = seen.length
    const outcome = await scene.call({ connectorName, onElicit: answerWith('accept') })
    expect(outcome).toMatchObject({ status: 'failed', text: `The tool failed: ${reason}` })
    expect(seen).toHaveLength(shownBefore)
    expect(await countCalls(behaviour)).toBe(1)
  })

  it('is called again when its server reports that the user has finished', async () => {
    connectorName = await scene.connect('page-first-reported')
    const outcome = await scene.call({
      connectorName,
      onElicit: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ action: 'cancel' }))
        }),
    })
    expect(outcome).toMatchObject({ status: 'done', text: 'signed in' })
    expect(await countCalls('page-first-reported')).toBe(2)
  })
})
