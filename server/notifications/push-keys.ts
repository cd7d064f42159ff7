import { exportJWK, generateKeyPair } from 'jose'
import { ensureSealedKey, type KeyDeps } from '../db/secrets/ensure-key.ts'

/** The keys of this installation with which push services know it (VAPID), base64url. */
export interface PushKeys {
  /** The point, uncompressed: 65 bytes. Browsers subscribe with it. */
  readonly publicKey: string
  readonly privateKey: string
}

/** The keys of this installation. The first start creates them; they are in the backup. */
export async function ensurePushKeys(deps: KeyDeps): Promise<PushKeys> {
  const { value } = await ensureSealedKey(deps, 'push', async () => JSON.stringify(await generatePushKeys()))
  return JSON.parse(value) as PushKeys
}

async function generatePushKeys(): Promise<PushKeys> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { x = '', y = '', d = '' } = await exportJWK(privateKey)
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return { publicKey: point.toString('base64url'), privateKey: d }
}
