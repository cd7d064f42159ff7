import { describe, expect, it } from 'vitest'
import { googleFormat } from './ai-sdk/formats.ts'
import { buildModelUrl, type ModelEndpoint } from './endpoint.ts'
import { ModelFailure } from './failure.ts'

function build(
  baseUrl: string,
  customApiPath: string | null = null,
  model = 'm',
  addressSource: ModelEndpoint['addressSource'] = 'userSupplied',
): string {
  const endpoint = {
    apiType: 'openai',
    baseUrl,
    apiKey: null,
    customApiPath,
    addressSource,
  } as const
  return buildModelUrl(endpoint, '/chat/completions', model).href
}

const ownEndpoint = {
  apiType: 'openai',
  baseUrl: 'https://own.example/v1',
  apiKey: 'k',
  customApiPath: null,
  addressSource: 'userSupplied',
} as const

describe('the address of a call', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1/chat/completions'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1/chat/completions'],
    [' https://api.example.com ', 'https://api.example.com/chat/completions'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1/chat/completions'],
    ['https://api.example.com/v1/chat/completions/', 'https://api.example.com/v1/chat/completions'],
    ['https://api.example.com/v1?api-version=2', 'https://api.example.com/v1/chat/completions?api-version=2'],
    ['http://localhost:11434/v1#part', 'http://localhost:11434/v1/chat/completions'],
  ])('joins %j and the default path', (base, url) => {
    expect(build(base)).toBe(url)
  })

  it.each([
    ['/api/generate', 'https://a.example/base/api/generate'],
    ['api/generate?x=1', 'https://a.example/base/api/generate?x=1'],
    ['deployments/{model}/chat', 'https://a.example/base/deployments/my%2Fmodel/chat'],
    ['  ', 'https://a.example/base/chat/completions'],
  ])('replaces the default path by %j (§3.1)', (path, url) => {
    expect(build('https://a.example/base', path, 'my/model')).toBe(url)
  })

  it.each(['https://elsewhere.example/', '//elsewhere.example/', 'javascript:alert(1)', 'a\r\nb', '/a b'])(
    'refuses the path %j',
    (path) => {
      expect(() => build('https://a.example', path)).toThrow(ModelFailure)
    },
  )

  it('stays on the host of the base address whatever the path', () => {
    for (const path of [
      '\\\\elsewhere.example',
      '/\\elsewhere.example',
      '@elsewhere.example',
      '../../../..',
      ':80/x',
    ]) {
      expect(new URL(build('https://a.example/v1', path)).origin).toBe('https://a.example')
    }
  })

  it.each([
    ['../admin', 'm'],
    ['/a/../../b', 'm'],
    ['/%2e%2E/x', 'm'],
    ['..\\x', 'm'],
    ['/{model}/admin', '..'],
    ['/.{model}/admin', '.'],
    ['/{model}', '../admin'],
    ['/..%2fadmin', 'm'],
    ['/..;/admin', 'm'],
    ['/..%3bx/admin', 'm'],
    ['/..%3fx', 'm'],
    ['/..%23x', 'm'],
    ['/{model}/admin', '%2e%2e'],
    ['/{model}/admin', '%252e.'],
    ['/{model}', '%2e%2e/admin'],
    ['/chat/completions/../../key/generate', 'm'],
    ['/chat/completions/.', 'm'],
    ['/%252e%252E/admin', 'm'],
    ['/..%25252fadmin', 'm'],
    ['/%25%32%65%25%32%65/admin', 'm'],
    ['/.%09./admin', 'm'],
    ['/..%20', 'm'],
    ['/{model}/admin', '.\n.'],
    ['/.%250a./admin', 'm'],
  ])("refuses the path %j with the model %j, which leaves the operator's address", (path, model) => {
    expect(() => build('https://operator.example/tenant/v1', path, model, 'operatorSupplied')).toThrow(
      expect.objectContaining({ code: 'bot_misconfigured' }),
    )
  })

  it.each([
    '/key/generate',
    'key/generate',
    '/',
    '?key=1',
    '/chat/completions?api-version=1',
    '/chat/completions/',
    '/x/chat/completions',
    '/key/generate;/chat/completions',
    '/key/generate%3f/chat/completions',
    '/key/generate%2523/chat/completions',
    '/Chat/Completions',
    '/chat/completions@evil.example',
    '/{model}',
  ])("refuses the path %j, which is no call of the product, with the operator's address or key", (path) => {
    expect(() => build('https://operator.example/v1', path, 'key/generate', 'operatorSupplied')).toThrow(
      expect.objectContaining({ code: 'bot_misconfigured' }),
    )
    const given = { ...ownEndpoint, customApiPath: path, hasOperatorKey: true }
    expect(() => buildModelUrl(given, '/chat/completions', 'key/generate')).toThrow(ModelFailure)
    expect(() => buildModelUrl({ ...given, hasOperatorKey: false }, '/x', 'm')).not.toThrow()
  })

  it.each([
    'key/generate?x=',
    'key/generate#',
    'key/generate%3fx',
    'key/generate;x',
    '../key/generate',
    'models/../key/generate?',
    'models/a?',
    'other/a',
  ])("refuses Google's address for the model %j at the operator's address", (model) => {
    const google = { ...ownEndpoint, apiType: 'google', addressSource: 'operatorSupplied' } as const
    expect(() => buildModelUrl(google, googleFormat.defaultPath(model), model)).toThrow(ModelFailure)
  })

  it.each(['gemini-9', 'models/gemini-9', 'tunedModels/mine', 'models/org/mine', 'a..b', 'a b', 'llama:8b'])(
    "takes Google's address for the model %j at the operator's address",
    (model) => {
      const google = { ...ownEndpoint, apiType: 'google', addressSource: 'operatorSupplied' } as const
      const { href } = buildModelUrl(google, googleFormat.defaultPath(model), model)
      const name = model.includes('/') ? model : `models/${model.replace(' ', '%20')}`
      expect(href).toBe(`https://own.example/v1/${name}:streamGenerateContent?alt=sse`)
    },
  )

  it.each([null, '/chat/completions', 'chat/completions', ' /chat/completions '])(
    "accepts the path %j below the operator's address",
    (path) => {
      const url = 'https://operator.example/v1/chat/completions'
      expect(build('https://operator.example/v1', path, 'm', 'operatorSupplied')).toBe(url)
      expect(build('https://operator.example/v1/', path, 'm', 'operatorSupplied')).toBe(url)
    },
  )

  it.each([
    ['/{model}/chat', 'a..b', 'https://own.example/v1/a..b/chat'],
    ['/{model}/chat', '50%..off', 'https://own.example/v1/50%25..off/chat'],
    ['/x?y=../z', 'm', 'https://own.example/v1/x?y=..%2Fz'],
  ])('accepts the path %j that the operator has written, with the model %j', (path, model, url) => {
    const given = { ...ownEndpoint, customApiPath: path, hasOperatorPath: true, hasOperatorKey: true }
    expect(buildModelUrl(given, '/chat/completions', model).href).toBe(url)
    expect(() => buildModelUrl({ ...given, customApiPath: '/{model}' }, '', '../x')).toThrow(ModelFailure)
  })

  it.each(['', 'a.example', 'ftp://a.example', 'file:///etc/passwd', 'http://a.exa\nmple'])(
    'refuses the address %j',
    (base) => {
      expect(() => build(base)).toThrow(ModelFailure)
    },
  )
})
