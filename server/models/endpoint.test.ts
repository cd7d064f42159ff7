import { describe, expect, it } from 'vitest'
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
    ['/{model}/chat', 'a..b', 'https://operator.example/v1/a..b/chat'],
    ['/{model}/chat', '50%..off', 'https://operator.example/v1/50%25..off/chat'],
    ['/x?y=../z', 'm', 'https://operator.example/v1/x?y=..%2Fz'],
    [null, 'm', 'https://operator.example/v1/chat/completions'],
  ])("accepts the path %j with the model %j below the operator's address", (path, model, url) => {
    expect(build('https://operator.example/v1', path, model, 'operatorSupplied')).toBe(url)
  })

  it.each(['', 'a.example', 'ftp://a.example', 'file:///etc/passwd', 'http://a.exa\nmple'])(
    'refuses the address %j',
    (base) => {
      expect(() => build(base)).toThrow(ModelFailure)
    },
  )
})
