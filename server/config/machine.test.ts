import { expect, it } from 'vitest'
import { toHostName } from './machine.ts'

it.each<[string, string | null]>([
  ['nas', 'nas'],
  ['NAS', 'nas'],
  ['nas.local.', 'nas.local'],
  ['my_nas', 'my_nas'],
  ['Büro-NAS', 'xn--bro-nas-n2a'],
  ['日本', 'xn--wgv71a'],
  ['12345', null],
  ['0x7f000001', null],
  ['10.0.0.1', null],
  ['a b', null],
  ['a/b', null],
  ['a@b', null],
  ['a:1', null],
  ['', null],
  ['..', null],
  ['x'.repeat(64), null],
])('reads the name %j of the system as it is in an address', (name, host) => {
  expect(toHostName(name)).toBe(host)
})
