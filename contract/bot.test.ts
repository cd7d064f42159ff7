import { expect, it } from 'vitest'
import { BotInput } from './bot.ts'

const bot = { name: 'A', model: 'm' }
const problemsOf = (input: unknown) =>
  BotInput.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

it('requires a name and a model, with the messages of the form (§3.1, §5.4, §5.5)', () => {
  expect(problemsOf(bot)).toEqual([])
  expect(problemsOf({ name: ' ', model: '' })).toEqual([
    'name: Please fill in all required fields',
    'model: Please fill in all required fields',
  ])
})

it('distinguishes an absent field from a cleared one', () => {
  expect(BotInput.parse(bot)).toEqual(bot)
  const cleared = { base_url: '', api_key: null, api_type: '', custom_api_path: null, max_tokens: null }
  expect(BotInput.parse({ ...bot, ...cleared })).toEqual({ ...bot, ...cleared })
})

it('trims texts', () => {
  expect(BotInput.parse({ name: ' A ', model: '\tm\n', base_url: ' https://x.example ' })).toEqual({
    name: 'A',
    model: 'm',
    base_url: 'https://x.example',
  })
})

it.each([
  'https://api.example.com/v1',
  'http://localhost:11434',
  'HTTP://127.0.0.1:8080/v1/',
  'https://[::1]:8443/v1?api-version=2026-01-01',
  'https://example.com?x=1',
])('accepts the address %s', (base_url) => {
  expect(problemsOf({ ...bot, base_url })).toEqual([])
})

it.each([
  'example.com',
  'localhost:11434',
  'ftp://example.com',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://',
  'https:///x',
  'https://user:password@example.com',
  'https://example.com\\@evil.example',
  'https://exam ple.com',
  'https://example.com/a\nb',
])('refuses the address %j', (base_url) => {
  expect(problemsOf({ ...bot, base_url })).toEqual([
    'base_url: must be a web address such as https://api.example.com/v1',
  ])
})

it.each(['.', '..', ' .. '])('refuses the name %j, which cannot be part of a URL path', (name) => {
  expect(problemsOf({ ...bot, name })).toHaveLength(1)
})
