import { expect, it } from 'vitest'
import { userPrefix } from './user-prefix.ts'

const ada = { issuer: 'https://id.example', subject: 'local|1', email: 'Ada.Lovelace@example.com' }

it("is the e-mail's local part and a short hash", () => {
  expect(userPrefix(ada)).toMatch(/^ada\.lovelace-[0-9a-f]{8}$/)
})

it('tells equal e-mails of two issuers and of two subjects apart, and stays the same for one person', () => {
  const prefixes = [ada, { ...ada, issuer: 'https://other.example' }, { ...ada, subject: 'local|2' }]
  expect(new Set(prefixes.map(userPrefix)).size).toBe(3)
  expect(userPrefix({ ...ada })).toBe(userPrefix(ada))
})

it.each([null, '', '@example.com', '<b>@example.com'])('holds without a readable e-mail: %s', (email) => {
  expect(userPrefix({ ...ada, email })).toMatch(/^[a-z]+-[0-9a-f]{8}$/)
})
