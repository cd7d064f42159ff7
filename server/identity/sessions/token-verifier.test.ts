import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { createCachedTokenVerifier, type TokenRequirements } from './token-verifier.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const start = Date.UTC(2026, 0, 1)

function createVerifier() {
  const clock = { now: start }
  let verifications = 0
  const requirements: TokenRequirements = {
    findKey: () => {
      verifications += 1
      return Promise.resolve(publicKey)
    },
    algorithms: ['ES256'],
    issuer: 'https://id.example',
    audience: 'api',
    refuseIdTokens: false,
    now: () => clock.now,
  }
  return {
    clock,
    verifyToken: createCachedTokenVerifier(requirements),
    countVerifications: () => verifications,
  }
}

/** Issues a token that expires `seconds` after `start`. */
function issueToken(seconds: number, subject = 'ada'): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://id.example')
    .setAudience('api')
    .setSubject(subject)
    .setExpirationTime(start / 1000 + seconds)
    .sign(privateKey)
}

it('verifies the signature of a token once a minute', async () => {
  const { clock, verifyToken, countVerifications } = createVerifier()
  const token = await issueToken(3_600)
  for (const at of [0, 30_000, 59_999]) {
    clock.now = start + at
    expect((await verifyToken(token)).sub).toBe('ada')
  }
  expect(countVerifications()).toBe(1)
  clock.now = start + 60_000
  await verifyToken(token)
  expect(countVerifications()).toBe(2)
})

it('refuses a cached token after it has expired', async () => {
  const { clock, verifyToken, countVerifications } = createVerifier()
  const token = await issueToken(-30)
  await verifyToken(token)
  clock.now = start + 40_000
  await expect(verifyToken(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(countVerifications()).toBe(2)
})

it('returns the user of each token, and does not cache a refused token', async () => {
  const { verifyToken, countVerifications } = createVerifier()
  const token = await issueToken(3_600)
  expect((await verifyToken(token)).sub).toBe('ada')
  expect((await verifyToken(await issueToken(3_600, 'bob'))).sub).toBe('bob')
  const changed = `${token.slice(0, -8)}AAAAAAAA`
  for (let times = 0; times < 2; times++) {
    await expect(verifyToken(changed)).rejects.toMatchObject({ code: 'unauthenticated' })
  }
  expect(countVerifications()).toBe(4)
})
