import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { canonicalAddress, registerClientAddresses } from './client-address.ts'
import { networkOf, siteOf } from './rate-limits.ts'

const proxy = '10.0.0.1'

/** Returns the client of a request that arrives from `peer` with these headers. */
async function clientOf(headers: Record<string, string | string[]>, peer = proxy, trusted = ['10.0.0.0/8']) {
  const app = Fastify()
  registerClientAddresses(app, trusted)
  app.get('/', ({ client }) => ({ ...client, network: networkOf({ client }), site: siteOf({ client }) }))
  const response = await app.inject({ url: '/', remoteAddress: peer, headers })
  await app.close()
  return response.json<{ address: string; peer: string; network: string; site: string }>()
}

const addressOf = async (forwarded: string | string[], peer?: string, trusted?: string[]) =>
  (await clientOf({ 'x-forwarded-for': forwarded }, peer, trusted)).address

it.each([
  '192.0.2.7',
  ' 192.0.2.7 ',
  '\t192.0.2.7',
  '192.0.2.7:5678',
  '192.0.2.7:',
  '"192.0.2.7"',
  '"192.0.2.7:5678"',
  '[192.0.2.7]:5678',
  'for=192.0.2.7',
  'For="192.0.2.7:5678";proto=https;by=10.0.0.1',
  '192.0.2.7;proto=https',
  '::ffff:192.0.2.7',
  '::FFFF:c000:207',
  '0:0:0:0:0:ffff:192.0.2.7',
  '0000:0000:0000:0000:0000:ffff:C000:0207',
  '[::ffff:192.0.2.7]:5678',
  '::ffff:192.0.2.7:5678',
  '64:ff9b::192.0.2.7',
  '192.0.2.7%eth0',
  ',, 192.0.2.7 , ,',
])('counts %j as the client 192.0.2.7', async (forwarded) => {
  expect(await addressOf(forwarded)).toBe('192.0.2.7')
})

it.each([
  '2001:db8::7',
  '2001:DB8::7',
  '2001:0db8:0000:0000:0000:0000:0000:0007',
  '2001:db8:0:0::7',
  '2001:db8::0.0.0.7',
  '2001:db8::7%eth0',
  '2001:db8::7%25eth0',
  '[2001:db8::7]',
  '[2001:db8::7]:5678',
  '[2001:db8::7%eth0]:5678',
  '2001:db8::7:56789',
  '2001:db8:0:0:0:0:0:7:5678',
  'for="[2001:db8::7]:_port"',
])('counts %j as the client 2001:db8::7', async (forwarded) => {
  expect(await clientOf({ 'x-forwarded-for': forwarded })).toMatchObject({
    address: '2001:db8::7',
    network: '2001:db8::',
    site: '2001:db8::',
  })
})

it('counts an IPv6 address with an unmarked port as an address of the same network', async () => {
  for (const port of ['1', '80', '5678', '9999'])
    expect(await clientOf({ 'x-forwarded-for': `2001:db8:1:2::7:${port}` })).toMatchObject({
      network: '2001:db8:1:2::',
    })
})

it.each([
  'unknown',
  '_hidden',
  'a.example',
  '192.0.2',
  '192.0.2.07',
  '0xc0.0.2.7',
  '3221225991',
  '192.0.2.256',
  '192.0.2.7/32',
  '192.0.2.7 192.0.2.8',
  '[192.0.2.7',
  '[[2001:db8::7]]',
  'for=',
  'for=unknown:123',
  '1:2:3:4:5:6:7:8:9:10',
  '::1::2',
  '%eth0',
  '"',
  ':80',
])('counts the trusted hop that named %j, and no text as a client', async (text) => {
  expect(await addressOf(text)).toBe(proxy)
  expect(await addressOf(`198.51.100.1, ${text}`)).toBe(proxy)
  expect(await addressOf(`198.51.100.1, ${text}, 10.0.0.9:1234`)).toBe('10.0.0.9')
})

it('counts what trusted proxies appended, and nothing that a client wrote before it', async () => {
  expect(await addressOf('203.0.113.1, 192.0.2.7')).toBe('192.0.2.7')
  expect(await addressOf('10.0.0.5, 192.0.2.7')).toBe('192.0.2.7')
  expect(await addressOf('203.0.113.1, 192.0.2.7, 10.0.0.9:1234, [::ffff:10.0.0.8]:99')).toBe('192.0.2.7')
  expect(await addressOf(['203.0.113.1', '192.0.2.7:80', '10.0.0.9'])).toBe('192.0.2.7')
  expect(await addressOf('10.0.0.7, 10.0.0.8')).toBe('10.0.0.7')
  expect(await addressOf('203.0.113.1, 192.0.2.7', '198.51.100.1')).toBe('198.51.100.1')
  expect(await addressOf('203.0.113.1', proxy, [])).toBe(proxy)
  expect(await addressOf('')).toBe(proxy)
})

it('takes the address from no other header', async () => {
  const headers = { forwarded: 'for=192.0.2.7', 'x-real-ip': '192.0.2.7', 'x-client-ip': '192.0.2.7' }
  expect((await clientOf(headers)).address).toBe(proxy)
})

it.each([
  ['::ffff:10.0.0.1', '10.0.0.0/8'],
  ['::ffff:a00:1', '10.0.0.1'],
  ['10.0.0.1', '::ffff:10.0.0.0/104'],
  ['::1', 'loopback'],
  ['127.0.0.9', 'loopback'],
  ['fe80::5%eth0', 'linklocal'],
  ['FD00::5', 'uniquelocal'],
  ['2001:db8:0:0:5::1', '2001:DB8::/48'],
])('trusts the peer %s by %s', async (peer, trusted) => {
  expect(await addressOf('192.0.2.7:1', peer, [trusted])).toBe('192.0.2.7')
  expect(await addressOf('192.0.2.7:1', '198.51.100.1', [trusted])).toBe('198.51.100.1')
})

it('writes the address of the connection in one spelling too', async () => {
  expect(await clientOf({}, '::ffff:192.0.2.7')).toMatchObject({ address: '192.0.2.7', peer: '192.0.2.7' })
  expect(await clientOf({}, 'FE80::0:1%eth0')).toMatchObject({ address: 'fe80::1', network: 'fe80::' })
  expect(canonicalAddress('')).toBeNull()
})
