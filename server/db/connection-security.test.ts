import { expect, it } from 'vitest'
import { describeConnectionRisk } from './connection-security.ts'

const plain = expect.stringContaining('is not encrypted')
const unchecked = expect.stringContaining("does not check the server's certificate")

it.each([
  [null, null],
  ['postgres://y:p@127.0.0.1/y', null],
  ['postgres://y:p@localhost:5433/y', null],
  ['postgres://y:p@[::1]/y', null],
  ['postgres://y:p@/y?host=/var/run/postgresql', null],
  ['postgres://y:p@db.example.com/y', { isAccepted: false, message: plain }],
  ['postgres://y:p@10.0.0.5/y?application_name=yonder', { isAccepted: false, message: plain }],
  ['postgres://y:p@127.example.com/y', { isAccepted: false, message: plain }],
  ['postgres://y:p@localhost/y?host=db', { isAccepted: false, message: plain }],
  ['postgres://y:p@postgres/y?sslmode=disable', { isAccepted: true, message: plain }],
  ['postgres://y:p@db.example.com/y?sslmode=no-verify', { isAccepted: false, message: unchecked }],
  [
    'postgres://y:p@db.example.com/y?uselibpqcompat=true&sslmode=require',
    { isAccepted: false, message: unchecked },
  ],
  ['postgres://y:p@db.example.com/y?sslmode=verify-full', null],
  ['postgres://y:p@db.example.com/y?ssl=true', null],
])('of %s it says %s', async (url, risk) => {
  const found = await describeConnectionRisk(url)
  expect(found).toEqual(risk)
  expect(JSON.stringify(found)).not.toContain('y:p')
})
