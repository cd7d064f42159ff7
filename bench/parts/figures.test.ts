import { describe, expect, it } from 'vitest'
import { judge, listGrowth } from './figures.ts'

const figure = (values: readonly number[], size = 1) => ({ name: 'cost', size, unit: 'ms', values })

describe('figures', () => {
  it('judges the quantile of the goal', () => {
    const values = Array.from({ length: 100 }, (_, index) => index)
    expect(judge({ ...figure(values), goal: { max: 50 } }).verdict?.isMet).toBe(true)
    expect(judge({ ...figure(values), goal: { max: 50, at: 0.95 } }).verdict).toEqual({
      goal: 'p95 at most 50',
      isMet: false,
    })
  })

  it('compares values of one round when they are paired', () => {
    const counterpart = { name: 'plain', values: [1, 100, 10] }
    const goal = { maxRatio: 1.5 }
    const paired = { ...figure([2, 100, 10]), counterpart: { ...counterpart, isPaired: true }, goal }
    expect(judge(paired).ratio).toBe(1)
    const apart = judge({ ...figure([20, 100, 10]), counterpart, goal })
    expect(apart).toMatchObject({ other: 10, ratio: 2, verdict: { isMet: false } })
  })

  it('accepts a ratio in place of a time on a slower machine', () => {
    const counterpart = { name: 'plain', values: [4] }
    const isMet = (orMaxRatio: number) =>
      judge({ ...figure([8]), counterpart, goal: { max: 3, orMaxRatio } }).verdict?.isMet
    expect(isMet(2.5)).toBe(true)
    expect(isMet(1.5)).toBe(false)
  })

  it('computes how a cost grows with the size', () => {
    const figures = [figure([3], 10), { ...figure([48], 40), goal: { maxGrowth: 8 } }]
    expect(listGrowth(figures)).toMatchObject([{ factor: 16, exponent: 2, verdict: { isMet: false } }])
    expect(listGrowth([figure([0], 10), figure([5], 40)])).toEqual([])
  })
})
