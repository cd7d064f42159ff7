import { describe, expect, it } from 'vitest'
import { listGrowth, summarize } from './figures.ts'
import { renderPage } from './report-page.ts'

const figure = (values: readonly number[], size = 1) => ({ name: 'cost', size, unit: 'ms', values })

describe('figures', () => {
  it('judges the quantile of the goal', () => {
    const values = Array.from({ length: 100 }, (_, index) => index)
    expect(summarize({ ...figure(values), goal: { max: 50 } }).verdict?.isMet).toBe(true)
    expect(summarize({ ...figure(values), goal: { max: 50, at: 0.95 } })).toMatchObject({
      median: 50,
      amount: 95,
      verdict: { isMet: false, share: 1.9 },
    })
  })

  it('compares values of one round when they are paired', () => {
    const counterpart = { name: 'plain', values: [1, 100, 10] }
    const goal = { maxRatio: 1.5 }
    const paired = summarize({
      ...figure([2, 100, 10]),
      counterpart: { ...counterpart, isPaired: true },
      goal,
    })
    expect(paired.counterpart?.ratio).toBe(1)
    const apart = summarize({ ...figure([20, 100, 10]), counterpart, goal })
    expect(apart).toMatchObject({ counterpart: { amount: 10, ratio: 2 }, verdict: { isMet: false } })
  })

  it('accepts a ratio in place of a time on a slower machine', () => {
    const counterpart = { name: 'plain', values: [4] }
    const isMet = (orMaxRatio: number) =>
      summarize({ ...figure([8]), counterpart, goal: { max: 3, orMaxRatio } }).verdict?.isMet
    expect(isMet(2.5)).toBe(true)
    expect(isMet(1.5)).toBe(false)
  })

  it('computes how a cost grows with the size', () => {
    const summaries = [summarize(figure([3], 10)), summarize({ ...figure([48], 40), goal: { maxGrowth: 8 } })]
    expect(listGrowth(summaries)).toMatchObject([{ factor: 16, exponent: 2, verdict: { isMet: false } }])
    expect(listGrowth([summarize(figure([0], 10)), summarize(figure([5], 40))])).toEqual([])
  })

  it('writes a page that escapes names and requests nothing', () => {
    const figures = [summarize({ ...figure([1, 2], 10), name: 'a <b>' }), summarize(figure([3], 40))]
    const report = {
      name: 'x',
      sizeUnit: 'messages',
      measuredAt: '2026-11-24T05:00:00Z',
      machine: '',
      figures,
    }
    const page = renderPage([report])
    expect(page).toContain('a &lt;b&gt;')
    expect(page).not.toMatch(/<script|<link|src=|url\(|https?:/)
  })
})
