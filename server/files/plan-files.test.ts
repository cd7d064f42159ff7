import { describe, expect, it } from 'vitest'
import { mediaLimitsOf } from '../models/media-limits.ts'
import { type FileToPlan, planFiles, type Taker } from './plan-files.ts'
import { problems } from './reading/child/problems.ts'

const taker: Taker = {
  model: 'm',
  images: true,
  pdf: true,
  contextWindow: 10_000,
  limits: mediaLimitsOf('anthropic', 'https://api.anthropic.com/v1'),
}
const file = (fields: Partial<FileToPlan>): FileToPlan => ({
  id: 'f',
  type: 'text/plain',
  size: 1_000,
  width: null,
  height: null,
  unit: null,
  total: null,
  problem: null,
  texts: [],
  ...fields,
})
/** The parts of a text, each with these tokens. */
const parts = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, number) => ({ file_id: 'f', number, tokens, units: 1 }))
const pdf = (pages: number, tokens: number, fields: Partial<FileToPlan> = {}) =>
  file({ type: 'application/pdf', unit: 'page', total: pages, texts: parts(pages, tokens), ...fields })
const picture = (fields: Partial<FileToPlan> = {}) =>
  file({ type: 'image/png', width: 750, height: 1_000, ...fields })
const plan = (files: readonly FileToPlan[], fields: Partial<Taker> = {}) =>
  planFiles(files, { ...taker, ...fields }).map(({ as, part, reason, parts: given }) => ({
    as,
    part,
    reason,
    given,
  }))

describe('a file', () => {
  it('is given as it is where the model and its provider take it', () => {
    expect(planFiles([picture()], taker)).toEqual([{ id: 'f', as: 'picture', tokens: 1_040, parts: 0 }])
    expect(plan([pdf(2, 100)])).toMatchObject([{ as: 'document' }])
    expect(plan([picture()], { images: false })).toMatchObject([
      { as: 'name', reason: 'm cannot see pictures.' },
    ])
    expect(plan([picture({ size: 5_000_000 })])[0]?.reason).toMatch(/^The picture is larger than the 3.75 MB/)
    // Google takes no GIF.
    const limits = mediaLimitsOf('google', null)
    expect(plan([picture({ type: 'image/gif' })], { limits })[0]?.reason).toMatch(/image\/gif/)
    expect(plan([picture({ problem: 'The picture is damaged.' })])).toMatchObject([
      { as: 'name', reason: 'The picture is damaged.' },
    ])
  })

  it('is given as text as far as half of the context window has room, and says how far', () => {
    expect(plan([pdf(40, 400)], { pdf: false })).toEqual([
      { as: 'text', part: { unit: 'page', given: 12, total: 40 }, reason: undefined, given: 12 },
    ])
    expect(plan([pdf(3, 400)], { pdf: false })).toEqual([
      { as: 'text', part: undefined, reason: undefined, given: 3 },
    ])
    // The end of the text was not stored.
    expect(plan([pdf(3, 400, { total: 90 })], { pdf: false })[0]?.part).toEqual({
      unit: 'page',
      given: 3,
      total: 90,
    })
    expect(plan([pdf(1, 6_000)], { pdf: false })).toMatchObject([
      { as: 'name', reason: 'There is no room for it in the context window of m.' },
    ])
  })

  it('shares that room with the other files of its message', () => {
    const [first, second, third] = plan([pdf(10, 400), pdf(10, 400), picture()], { pdf: false })
    expect([first?.given, second?.given, third?.as]).toEqual([10, 2, 'picture'])
  })

  it('of many pages is a document only if that leaves room, or if it has no text', () => {
    expect(plan([pdf(20, 50)])).toMatchObject([{ as: 'text', given: 20 }])
    const scanned = pdf(5, 0, { texts: [], problem: 'The PDF has no text.' })
    expect(plan([scanned])).toMatchObject([{ as: 'document' }])
    expect(plan([scanned], { pdf: false })).toMatchObject([{ as: 'name', reason: 'The PDF has no text.' }])
    expect(plan([pdf(300, 0, { texts: [] })])).toMatchObject([{ as: 'name' }])
  })

  it('has at most 100,000 tokens when the context window is not known', () => {
    expect(plan([pdf(400, 400)], { pdf: false, contextWindow: undefined })[0]?.given).toBe(249)
  })
})

/** A scanned, encrypted or damaged PDF for a model with a large window. */
const planScan = (fields: Partial<FileToPlan>, more: Partial<Taker> = {}) =>
  planFiles([pdf(0, 0, { texts: [], total: null, ...fields })], {
    ...taker,
    contextWindow: 200_000,
    ...more,
  })[0]

describe('the plan of a PDF without a text, for a model that takes PDFs', () => {
  it.each(['encryptedPdf', 'damaged'] as const)('names one that every provider refuses: %s', (problem) => {
    expect(planScan({ problem: problems[problem] })).toMatchObject({ as: 'name', reason: problems[problem] })
  })

  it('gives scanned pages as they are, and counts each', () => {
    expect(planScan({ problem: problems.pdfOfPictures, total: 60 })).toMatchObject({
      as: 'document',
      tokens: 40 + 60 * 1_600,
    })
    expect(planScan({ problem: problems.tooSlow })).toMatchObject({ as: 'document' })
  })

  it('names scanned pages that no request has room for', () => {
    const scan = { problem: problems.pdfOfPictures, total: 60 }
    expect(planScan(scan, { contextWindow: 32_000 })).toMatchObject({
      as: 'name',
      reason: 'There is no room for it in the context window of m.',
    })
    expect(planScan(scan, { contextWindow: undefined })).toMatchObject({ as: 'document' })
  })
})
