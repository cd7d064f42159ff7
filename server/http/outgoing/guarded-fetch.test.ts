import type { LookupAddress } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { isAllowed, type AddressPolicy } from './address-policy.ts'
import type { Lookup } from './guarded-connector.ts'
import { guardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const strict: AddressPolicy = {
  trust: 'userSupplied',
  allowedPrivateHosts: [],
  isLoopbackInstallation: false,
  ownPorts: [],
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function guard(
  policy: Partial<AddressPolicy> = {},
  options: Partial<GuardedFetchOptions> = {},
): GuardedFetch {
  const opened = guardedFetch({ ...options, policy: { ...strict, ...policy } })
  closing.push(() => opened.close())
  return opened
}

/** A listener on this machine that counts every connection, so that a refusal is seen to have opened none. */
async function listen(
  listener: RequestListener,
): Promise<{ port: number; url: string; connections: () => number }> {
  const server: Server = createServer(listener)
  let count = 0
  server.on('connection', () => (count += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, url: `http://127.0.0.1:${port}`, connections: () => count }
}

/** Resolves names to the addresses that the test sets. */
function resolver(names: Readonly<Record<string, readonly string[]>>): Lookup {
  return (host, _options, callback) => {
    const addresses = names[host]
    if (addresses === undefined)
      return callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

async function refusal(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`)
  return error
}

const literals = `
  127.0.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.1 0 127.0.0.1. ①②⑦.⓪.⓪.① 127。0。0。1
  %31%32%37.0.0.1 0xa9fea9fe 2852039166 169.254.169.254 169.254.170.2 100.100.100.200 10.0.0.5 172.16.3.4
  192.168.1.1 100.64.0.1 198.18.0.1 192.0.2.1 224.0.0.1 255.255.255.255 240.0.0.1
  [::] [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [::127.0.0.1] [::ffff:0:127.0.0.1]
  [fd00:ec2::254] [fe80::1] [fd00::1] [ff02::1] [4000::1] [2001:db8::1] [2001::1] [3fff::1]`
  .trim()
  .split(/\s+/)

describe('addresses', () => {
  it.each(literals)('refuses the literal %s before any connection', async (host) => {
    const { port, connections } = await listen((_request, response) => response.end('inside'))
    const error = await refusal(guard().fetch(`http://${host}:${port}/`))
    expect(error.code).toBe('address_refused')
    expect(error.message).toMatch(/ALLOWED_PRIVATE_HOSTS|are always refused/)
    expect(connections()).toBe(0)
  })

  it.each(['localhost', 'ｌｏｃａｌｈｏｓｔ'])(
    'refuses the name %s, which resolves to this machine',
    async (name) => {
      const { port, connections } = await listen((_request, response) => response.end('inside'))
      expect((await refusal(guard().fetch(`http://${name}:${port}/`))).code).toBe('address_refused')
      expect(connections()).toBe(0)
    },
  )

  it.each([
    'http:127.0.0.1',
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://evil@127.0.0.1/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
    'ftp://example.com/',
    'unix:/var/run/docker.sock',
    'http://example.com/a\r\nX-Injected: 1',
    'http://exa\tmple.com/',
    'not an address',
    '',
  ])('refuses %j', async (address) => {
    expect((await refusal(guard().fetch(address))).code).toBe('address_refused')
  })

  it('refuses a name when one of its addresses is private, whichever comes first', async () => {
    const { port, connections } = await listen((_request, response) => response.end('inside'))
    const lookup = resolver({
      'a.test': ['93.184.216.34', '127.0.0.1'],
      'b.test': ['fd00::1', '93.184.216.34'],
      'localhost.': ['::1'],
    })
    for (const name of ['a.test', 'b.test', 'localhost.']) {
      expect((await refusal(guard({}, { lookup }).fetch(`http://${name}:${port}/`))).code).toBe(
        'address_refused',
      )
    }
    expect(connections()).toBe(0)
  })

  it('checks at each connection, so a name that moves to a private address is refused the second time', async () => {
    const names: Record<string, string[]> = { 'moving.test': ['127.0.0.1'] }
    const { port, connections } = await listen((_request, response) => {
      response.setHeader('connection', 'close')
      response.end('outside')
    })
    const lookup = resolver(names)
    const guarded = guard({ allowedPrivateHosts: ['127.0.0.1:*'] }, { lookup })
    expect(await (await guarded.fetch(`http://moving.test:${port}/`)).text()).toBe('outside')
    names['moving.test'] = ['127.0.0.2']
    expect((await refusal(guarded.fetch(`http://moving.test:${port}/`))).code).toBe('address_refused')
    expect(connections()).toBe(1)
  })

  it('reports the same for an open and a closed port', async () => {
    const { port } = await listen((_request, response) => response.end('inside'))
    const open = await refusal(guard().fetch(`http://127.0.0.1:${port}/`))
    const closed = await refusal(guard().fetch('http://127.0.0.1:9/'))
    expect(open.message.replace(String(port), '9')).toBe(closed.message)
  })

  it('never reuses a socket of an unguarded fetch', async () => {
    const { url, connections } = await listen((_request, response) => response.end('inside'))
    await (await guard({ trust: 'operatorSupplied' }).fetch(url)).text()
    expect((await refusal(guard().fetch(url))).code).toBe('address_refused')
    expect(connections()).toBe(1)
  })
})

describe('exceptions', () => {
  it('allows public addresses', () => {
    for (const address of ['93.184.216.34', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450::1']) {
      expect(isAllowed({ ...strict, trust: 'serverSupplied' }, { host: 'a.test', port: 443, address })).toBe(
        true,
      )
    }
  })

  it('allows what the operator lists: by address, by name, on any port', async () => {
    const { port, url } = await listen((_request, response) => response.end('inside'))
    const lookup = resolver({ 'ollama.lan': ['127.0.0.1'] })
    const reached = async (allowed: string, address: string) =>
      (
        await guard({ trust: 'serverSupplied', allowedPrivateHosts: [allowed] }, { lookup }).fetch(address)
      ).text()
    expect(await reached(`127.0.0.1:${port}`, url)).toBe('inside')
    expect(await reached('127.0.0.1:*', url)).toBe('inside')
    expect(await reached(`ollama.lan:${port}`, `http://ollama.lan:${port}/`)).toBe('inside')
    expect((await refusal(reached('127.0.0.1:1', url))).code).toBe('address_refused')
    expect((await refusal(reached('other.lan:*', url))).code).toBe('address_refused')
  })

  it('never reaches link-local addresses and metadata services, whatever is allowed', async () => {
    const hosts = ['169.254.169.254', '100.100.100.200', '[fe80::1]', '[fd00:ec2::254]']
    const guarded = guard({ allowedPrivateHosts: hosts.map((host) => `${host}:*`) })
    for (const host of hosts)
      expect((await refusal(guarded.fetch(`http://${host}/`))).code).toBe('address_refused')
  })

  it('allows users of a local installation to reach its machine, but not the product and its database', async () => {
    const { port, url } = await listen((_request, response) => response.end('inside'))
    const local = { isLoopbackInstallation: true }
    expect(await (await guard(local).fetch(url)).text()).toBe('inside')
    expect(await (await guard(local).fetch(`http://localhost:${port}/`)).text()).toBe('inside')
    const own = { ...local, ownPorts: [port] }
    expect((await refusal(guard(own).fetch(url))).code).toBe('address_refused')
    expect((await refusal(guard({ ...own, allowedPrivateHosts: ['127.0.0.1:*'] }).fetch(url))).code).toBe(
      'address_refused',
    )
    expect((await refusal(guard({ ...local, trust: 'serverSupplied' }).fetch(url))).code).toBe(
      'address_refused',
    )
    expect((await refusal(guard(local).fetch('http://10.0.0.5/'))).code).toBe('address_refused')
  })

  it('does not restrict the operator', async () => {
    const { url } = await listen((_request, response) => response.end('inside'))
    expect(await (await guard({ trust: 'operatorSupplied' }).fetch(url)).text()).toBe('inside')
  })
})

describe('redirects', () => {
  const local = { isLoopbackInstallation: true }

  it('follows three within the origin and refuses the fourth', async () => {
    const { url } = await listen((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await (await guard(local).fetch(`${url}/3`)).text()).toBe('arrived')
    expect(await (await guard(local).fetch(`${url}/3`, { redirect: 'manual' })).text()).toBe('arrived')
    expect((await refusal(guard(local).fetch(`${url}/4`))).code).toBe('address_refused')
  })

  it.each([301, 302, 303, 307, 308])(
    'does not follow a %i to another origin, and sends it nothing',
    async (status) => {
      const otherServer = await listen((_request, response) => response.end('other'))
      const { url } = await listen((_request, response) =>
        response.writeHead(status, { location: otherServer.url }).end(),
      )
      const sent = guard(local).fetch(url, {
        method: 'POST',
        body: 'secret',
        headers: { 'x-api-key': 'secret' },
      })
      expect((await refusal(sent)).code).toBe('address_refused')
      expect(otherServer.connections()).toBe(0)
    },
  )

  it('refuses a redirect to another scheme and, when none is allowed, any redirect', async () => {
    const { url } = await listen((request, response) =>
      response.writeHead(302, { location: request.url === '/file' ? 'file:///etc/passwd' : '/there' }).end(),
    )
    expect((await refusal(guard(local).fetch(`${url}/file`))).code).toBe('address_refused')
    expect((await refusal(guard(local, { maxRedirects: 0 }).fetch(`${url}/`))).code).toBe('address_refused')
  })

  it('follows none for a caller that does not want any', async () => {
    const { url, connections } = await listen((_request, response) =>
      response.writeHead(302, { location: '/there' }).end(),
    )
    const none = { redirect: 'error' } as const
    for (const sent of [guard(local).fetch(url, none), guard(local).fetch(new Request(url, none))]) {
      const { code, message } = await refusal(sent)
      expect([code, message]).toEqual(['address_refused', 'The server redirects. Enter the final address.'])
    }
    expect(connections()).toBe(2)
  })

  it('changes a POST to a GET for the same statuses as browsers', async () => {
    const seen: string[] = []
    const { url } = await listen((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (request.url === '/there') response.end('ok')
      else response.writeHead(Number(request.url?.slice(1)), { location: '/there' }).end()
    })
    for (const status of [303, 307])
      await guard(local).fetch(`${url}/${status}`, { method: 'POST', body: 'x' })
    expect(seen).toEqual(['POST /303', 'GET /there', 'POST /307', 'POST /there'])
  })
})

describe('responses', () => {
  const local = { isLoopbackInstallation: true }

  it('requests no compression and refuses a compressed response', async () => {
    let asked: unknown
    const { url } = await listen((request, response) => {
      asked = request.headers['accept-encoding']
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000)))
    })
    expect((await refusal(guard(local).fetch(url))).code).toBe('upstream_invalid')
    expect(asked).toBe('identity')
  })

  it('stops a response that announces or sends more than the maximum', async () => {
    let sendRest = () => {}
    const { url } = await listen((request, response) => {
      if (request.url === '/announced')
        response.writeHead(200, { 'content-length': 5000 }).end(Buffer.alloc(5000))
      else {
        response.write(Buffer.alloc(600))
        if (request.url === '/at-once') response.end(Buffer.alloc(600))
        else sendRest = () => response.end(Buffer.alloc(600))
      }
    })
    const guarded = guard(local, { maxBytes: 1000 })
    expect((await refusal(guarded.fetch(`${url}/announced`))).code).toBe('output_limit')
    await expect((await guarded.fetch(`${url}/at-once`)).text()).rejects.toThrow()
    const answer = await guarded.fetch(`${url}/later`)
    sendRest()
    await expect(answer.text()).rejects.toThrow()
  })

  it('sends the body of a Request', async () => {
    const { url } = await listen((request, response) => request.pipe(response))
    const response = await guard(local).fetch(new Request(url, { method: 'POST', body: 'sent' }))
    expect(await response.text()).toBe('sent')
  })

  it('refuses a header value with a line break', async () => {
    const { url, connections } = await listen((_request, response) => response.end('ok'))
    await expect(guard(local).fetch(url, { headers: { 'x-api-key': 'key\r\nX: y' } })).rejects.toThrow()
    expect(connections()).toBe(0)
  })
})

describe('an address that means this machine', () => {
  const refuse = async (policy: Partial<AddressPolicy>, url: string) => {
    const lookup = resolver({ localhost: ['127.0.0.1'], 'private.example': ['10.0.0.1'] })
    const error: unknown = await guard(policy, { lookup })
      .fetch(url)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AppError)
    return (error as AppError).message
  }

  it.each(['http://localhost:11434/v1', 'http://127.0.0.1:11434/v1', 'http://[::1]:11434/v1'])(
    'is explained in a container: %s',
    async (url) => {
      const message = await refuse({ isContainer: true }, url)
      expect(message).toContain('Yonder runs in a container, where')
      expect(message).toContain('use http://host.docker.internal:11434 after the operator')
      expect(message).toContain('ALLOWED_PRIVATE_HOSTS=host.docker.internal:11434.')
    },
  )

  it('is not explained like this elsewhere, nor is another private address', async () => {
    expect(await refuse({ isContainer: true }, 'http://169.254.169.254')).toContain('are always refused')
    const usual =
      'because it is not public. The operator of this installation can allow addresses in private networks and on its own machine with ALLOWED_PRIVATE_HOSTS.'
    expect(await refuse({}, 'http://localhost:11434')).toContain(usual)
    for (const url of ['http://10.0.0.1:11434', 'http://private.example:11434'])
      expect(await refuse({ isContainer: true }, url)).toContain(usual)
  })
})
