import { Elicitation } from '@yonder/contract/elicitation'
import { ExactNumber } from '@yonder/contract/lib/exact-json'
import { describe, expect, it } from 'vitest'
import { checkElicitationAnswer, readElicitation } from './elicitation-form.ts'

const read = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  readElicitation(
    { message: 'Your details, please', requestedSchema: { type: 'object', properties, ...rest } },
    32,
  )

const everything = {
  name: { type: 'string', title: 'Name', minLength: 2, maxLength: 5, default: 'Ada' },
  mail: { type: 'string', format: 'email' },
  age: { type: 'integer', minimum: 1, maximum: 120, default: 36 },
  share: { type: 'number' },
  yes: { type: 'boolean', default: true },
  plain: { type: 'string', enum: ['a', 'b'], default: 'b' },
  named: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
  titled: { type: 'string', oneOf: [{ const: 'x', title: 'X' }] },
  many: { type: 'array', items: { type: 'string', enum: ['p', 'q'] }, default: ['q'] },
}

describe('a page to open', () => {
  const page = (url: unknown) => readElicitation({ mode: 'url', message: 'Go\u202E', url }, 32)

  it.each([
    ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['https://\u0430pple.com/', 'https://xn--pple-43d.com/'],
    ['https://example.com/\u202Egnp.exe', 'https://example.com/%E2%80%AEgnp.exe'],
  ])('has its whole address in plain characters: %j', (url, address) => {
    expect(page(url)).toEqual({ message: 'Go', fields: [], page: { address, needs_continue: false } })
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'mailto:a@example.com',
    'https://bank.example@evil.example/',
    'https://:secret@evil.example/',
    'no address',
    `https://example.com/${'x'.repeat(8_000)}`,
    7,
  ])('is declined unseen with the address %j', (url) => {
    expect(page(url)).toBeUndefined()
  })

  it('is answered without content', () => {
    const elicitation = page('https://example.com')!
    expect(checkElicitationAnswer(elicitation, { action: 'accept' })).toEqual({ action: 'accept' })
    expect(checkElicitationAnswer(elicitation, { action: 'decline' })).toEqual({ action: 'decline' })
    expect(checkElicitationAnswer(elicitation, { action: 'accept', content: {} })).toEqual({
      action: 'accept',
    })
  })
})

describe('readElicitation', () => {
  it('creates a form from every kind of field', () => {
    const form = Elicitation.parse(read(everything, { required: ['name'] }))
    expect(form.message).toBe('Your details, please')
    expect(form.fields.map(({ name, kind, required, value }) => [name, kind, required, value])).toEqual([
      ['name', 'text', true, 'Ada'],
      ['mail', 'text', false, null],
      ['age', 'number', false, 36],
      ['share', 'number', false, null],
      ['yes', 'switch', false, true],
      ['plain', 'choice', false, ['b']],
      ['named', 'choice', false, []],
      ['titled', 'choice', false, []],
      ['many', 'choice', false, ['q']],
    ])
    const [named] = form.fields.filter(({ name }) => name === 'named')
    expect(named).toMatchObject({
      options: [
        { value: 'a', label: 'A' },
        { value: 'b', label: 'B' },
      ],
    })
  })

  it.each<[string, unknown]>([
    ['missing parameters', undefined],
    ['a mode that it does not know', { mode: 'voice', message: 'Go' }],
    ['no schema', { message: 'x' }],
    ['an object in the form', { requestedSchema: { properties: { a: { type: 'object' } } } }],
    [
      'too many fields',
      {
        requestedSchema: {
          properties: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, { type: 'string' }])),
        },
      },
    ],
    ['an option that is too long', { requestedSchema: { properties: { a: { enum: ['x'.repeat(301)] } } } }],
    [
      'too many options',
      { requestedSchema: { properties: { a: { enum: Array.from({ length: 101 }, String) } } } },
    ],
    ['a password', { requestedSchema: { properties: { password: { type: 'string' } } } }],
    [
      'a password by its title',
      { requestedSchema: { properties: { a: { type: 'string', title: 'API key' } } } },
    ],
    [
      'a password by its format',
      { requestedSchema: { properties: { a: { type: 'string', format: 'password' } } } },
    ],
  ])('returns undefined for %s', (_, params) => {
    expect(readElicitation(params, 32)).toBeUndefined()
  })

  const secret = 'Your p\u0430ssword'
  it.each<[string, Record<string, unknown>, string?]>([
    ['the message', { a: { type: 'string' } }, secret],
    ['a name', { pass_word: { type: 'string', title: 'Answer' } }],
    ['a title', { a: { type: 'string', title: secret } }],
    ['a description', { a: { type: 'string', description: secret } }],
    ['a default value', { a: { type: 'string', default: secret } }],
    ['an option', { a: { type: 'string', enum: ['x'], enumNames: [secret] } }],
    ['the value of an option', { a: { type: 'array', items: { anyOf: [{ const: secret, title: 'x' }] } } }],
    ['a title and a description', { a: { type: 'string', title: 'Pass', description: 'word' } }],
  ])('returns undefined for a form that asks for a secret in %s', (_, properties, message = 'Hello') => {
    expect(readElicitation({ message, requestedSchema: { properties } }, 32)).toBeUndefined()
  })

  it('returns undefined for a form with more text than can be searched for secrets', () => {
    const options = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(290)}`)
    const properties = { a: { type: 'string', enum: options } }
    expect(readElicitation({ message: '', requestedSchema: { properties } }, 32)).toBeUndefined()
  })

  it('cleans and limits the text of a server', () => {
    const form = read({ a: { type: 'string', description: `\u202E${'x'.repeat(1_000)}` } })
    expect(form?.fields[0]?.description).toHaveLength(300)
    expect(form?.fields[0]?.description).not.toContain('\u202E')
  })

  it('leaves out a bound with more digits than an answer can have', () => {
    const form = read({
      a: {
        type: 'number',
        minimum: new ExactNumber(`1e${'9'.repeat(1_000)}`),
        maximum: new ExactNumber('1e400'),
      },
    })
    expect(form?.fields[0]).toMatchObject({ minimum: null, maximum: '1e400' })
  })
})

describe('checkElicitationAnswer', () => {
  const form = Elicitation.parse(read(everything, { required: ['name'] }))
  const check = (content: Record<string, string | number | boolean | string[]>) =>
    checkElicitationAnswer(form, { action: 'accept', content })

  it('returns only the requested fields', () => {
    expect(check({ name: 'Ada', age: 3, many: ['p'], other: 'x' })).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 3, many: ['p'] },
    })
  })

  it.each<[string, Record<string, string | number | boolean | string[]>]>([
    ['a missing required value', {}],
    ['too short a text', { name: 'A' }],
    ['too long a text', { name: 'Ada Lovelace' }],
    ['a number as text', { name: 7 }],
    ['a fraction of an age', { name: 'Ada', age: 1.5 }],
    ['an age out of bounds', { name: 'Ada', age: 999 }],
    ['a choice that was not offered', { name: 'Ada', plain: 'c' }],
    ['a list for one choice', { name: 'Ada', plain: ['a'] }],
    ['one of many that was not offered', { name: 'Ada', many: ['z'] }],
    ['text as a switch', { name: 'Ada', yes: 'yes' }],
  ])('returns undefined for %s', (_, content) => {
    expect(check(content)).toBeUndefined()
  })

  it('does not take an inherited property for the value of an omitted field', () => {
    const params = { requestedSchema: { properties: { constructor: { type: 'string' } } } }
    const elicitation = readElicitation(params, 10)!
    expect(checkElicitationAnswer(elicitation, { action: 'accept', content: {} })).toEqual({
      action: 'accept',
      content: {},
    })
  })

  it('returns a decline without content', () => {
    expect(checkElicitationAnswer(form, { action: 'decline', content: { name: 'x' } })).toEqual({
      action: 'decline',
    })
  })
})
