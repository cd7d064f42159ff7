import { apiTypes } from '@yonder/contract/bot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openModelScene, type ModelScene } from '../testing/models/open-model-scene.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterAll(() => scene.close())

describe.each(apiTypes)('%s', (apiType) => {
  it('closes the upstream on an abort and yields no further part', async () => {
    const stop = new AbortController()
    const { parts } = await scene.callModel(apiType, scene.hostile.baseUrl, {
      request: { model: 'endless' },
      signal: stop.signal,
      limits: { maxOutputChars: 1e9 },
      onParts: (some) => {
        if (some.some((part) => part.type === 'text')) queueMicrotask(() => stop.abort())
      },
    })
    expect(parts.some((part) => part.type === 'finish' || part.type === 'failed')).toBe(false)
    expect(await scene.countOpen(scene.hostile)).toBe(0)
  })

  it('closes when aborted before the first byte, and sends no request when already aborted', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    expect(
      (
        await scene.callModel(apiType, scene.hostile.baseUrl, {
          request: { model: 'no-answer' },
          signal: stop.signal,
        })
      ).parts,
    ).toEqual([])
    expect(await scene.countOpen(scene.hostile)).toBe(0)
    const count = scene.hostile.requestedFaults.length
    expect(
      (await scene.callModel(apiType, scene.hostile.baseUrl, { signal: AbortSignal.abort() })).parts,
    ).toEqual([])
    expect(scene.hostile.requestedFaults).toHaveLength(count)
  })
})
