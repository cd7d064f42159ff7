import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listProblems } from '../testing/list-problems.ts'
import { parseConfig } from './config.ts'

const price = { model: 'm', input: 1, output: 2 }

it.each([
  ['no list', '{"model":"m"}', 'MODEL_PRICES: must be a list of models'],
  ['a missing file', '/none/prices.json', 'MODEL_PRICES: names a file that cannot be read (ENOENT)'],
  ['broken JSON', '[{', 'MODEL_PRICES: must be a JSON list of models, or the path of a file with one'],
  ['a folder', '/tmp', 'MODEL_PRICES: names a file that cannot be read (EISDIR)'],
  ['a negative price', [{ ...price, input: -1 }], 'MODEL_PRICES.0.input: must not be negative'],
  [
    'a missing price',
    [{ model: 'm', input: 1 }],
    'MODEL_PRICES.0.output: must be a price for a million tokens, as a number',
  ],
  [
    'a price as text',
    [{ ...price, output: '2' }],
    'MODEL_PRICES.0.output: must be a price for a million tokens, as a number',
  ],
  [
    'a huge price',
    [{ ...price, cached_input: 1e9 }],
    'MODEL_PRICES.0.cached_input: must be at most 10,000,000',
  ],
  ['a fine price', [{ ...price, input: 0.0000001 }], 'MODEL_PRICES.0.input: must have at most 6 decimals'],
  [
    'an unknown currency',
    [{ ...price, currency: 'usd' }],
    'MODEL_PRICES.0.currency: must be a currency of ISO 4217 in capitals, such as USD or EUR',
  ],
  ['a model twice', [price, { ...price, model: 'M' }], 'MODEL_PRICES.1.model: occurs twice: "M"'],
  [
    'a misspelt field',
    [{ ...price, ouput: 1 }],
    'MODEL_PRICES.0: has an unknown field "ouput". Did you mean "output"?',
  ],
])('refuses prices of models with %s', (_name, value, problem) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  expect(listProblems({ MODEL_PRICES: text, PORT: 'x' })).toEqual([
    expect.stringContaining('PORT'),
    `  ${problem}`,
  ])
})

it('reads prices of models from JSON and from a file, also with a byte order mark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-prices-'))
  try {
    const path = join(folder, 'prices.json')
    const prices = [
      price,
      { ...price, base_url: 'https://a.example', currency: 'JPY', context_window: 8_000 },
    ]
    writeFileSync(path, `\uFEFF${JSON.stringify(prices)}`)
    const expected = [{ ...price, currency: 'USD' }, prices[1]]
    expect(parseConfig({ MODEL_PRICES: path }).modelPrices).toEqual(expected)
    expect(parseConfig({ MODEL_PRICES: JSON.stringify(prices) }).modelPrices).toEqual(expected)
    writeFileSync(path, '{"secret": ')
    expect(listProblems({ MODEL_PRICES: path })).toEqual([
      '  MODEL_PRICES: names a file without a JSON list of models',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
