import { describe, expect, it } from 'vitest'
import { evaluateExpression, ExpressionError } from './evaluate-expression.ts'

describe('evaluateExpression', () => {
  it.each([
    ['2 + 3', 5],
    ['2+3*4', 14],
    ['(2+3)*4', 20],
    ['10 / 4', 2.5],
    ['7 % 4', 3],
    ['2^3^2', 512],
    ['2**10', 1024],
    ['-2^2', -4],
    ['(-2)^2', 4],
    ['2^-1', 0.5],
    ['--3', 3],
    ['1 - -1', 2],
    ['8/2/2', 2],
    ['1e3 + .5', 1000.5],
    ['1_000_000 * 2', 2_000_000],
    ['6 × 7 ÷ 2 − 1', 20],
    ['sqrt(16) + abs(-3)', 7],
    ['max(1, 5, 3) - min(4, 2)', 3],
    ['log(1000)', 3],
    ['2 * pi', 2 * Math.PI],
    ['COS(0)', 1],
    ['((((1))))', 1],
  ])('%s is %d', (expression, value) => {
    expect(evaluateExpression(expression)).toBeCloseTo(value, 12)
  })

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['2 +', 'ends too early'],
    ['2 3', 'should end'],
    ['(1', '")" is missing'],
    ['1)', 'should end'],
    ['1 / 0', 'divided by zero'],
    ['sqrt(-1)', 'not a real number'],
    ['sqrt(1, 2)', 'exactly 1 value'],
    ['sqrt 4', 'The values of sqrt must be in brackets'],
    ['2 * max', 'The values of max must be in brackets'],
    ['process.exit(1)', 'is not arithmetic'],
    ['process', 'is not a known function or constant'],
    ['constructor', 'is not a known function or constant'],
    ['__proto__', 'is not arithmetic'],
    ['1; 2', 'is not arithmetic'],
    ['9^9^9', 'too large'],
    ['('.repeat(500), 'nested too deeply'],
    ['-'.repeat(500) + '1', 'nested too deeply'],
    ['1+'.repeat(1000), 'longer than'],
  ])('refuses %j', (expression, reason) => {
    expect(() => evaluateExpression(expression)).toThrow(ExpressionError)
    expect(() => evaluateExpression(expression)).toThrow(reason)
  })
})
