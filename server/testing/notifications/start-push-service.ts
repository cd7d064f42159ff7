import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { PushPayload } from '@yonder/contract/notification'
import { importJWK, jwtVerify, type JWTPayload } from 'jose'
import { makeTestCertificate } from '../make-certificate.ts'

/** A push that has arrived, decrypted, with the claims of its sender. */
export interface ReceivedPush {
  readonly headers: IncomingHttpHeaders
  readonly payload: PushPayload
  readonly claims: JWTPayload
  /** The key of the sender, base64url. */
  readonly senderKey: string
}

/** How the push service responds. `hold` never responds. */
export type PushResponse =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hold'

export interface PushService {
  /** Its `host:port`, for `ALLOWED_PRIVATE_HOSTS`. */
  readonly host: string
  readonly port: number
  /** The certificate of the authority to accept. */
  readonly authority: string
  readonly received: readonly ReceivedPush[]
  /** Adds the responses to the next requests. Later ones are accepted. */
  respond(...responses: readonly PushResponse[]): void
  /** A subscription of a browser, as `PushSubscription.toJSON()` returns it. */
  subscribe(): {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** Resolves when this many pushes have arrived. */
  until(count: number): Promise<readonly ReceivedPush[]>
  close(): Promise<void>
}

/** Starts a push service that checks and decrypts what it gets (RFC 8030, 8291 and 8292). */
export async function startPushService(): Promise<PushService> {
  const { cert, key, ca } = makeTestCertificate('localhost')
  const browsers = new Map<string, Browser>()
  const received: ReceivedPush[] = []
  const responses: PushResponse[] = []
  const waiting = new Set<() => void>()
  /** Returns what is wrong with a push. */
  async function receive(browser: Browser, headers: IncomingHttpHeaders, body: Buffer) {
    try {
      received.push(await readPush(browser, headers, body, `https://${host}`))
      for (const check of waiting) check()
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const server = createServer({ cert, key }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const answer = responses.shift() ?? { status: 201 }
      const browser = browsers.get(request.url ?? '')
      if (browser === undefined) return response.writeHead(404).end()
      void receive(browser, request.headers, Buffer.concat(parts)).then((problem) => {
        if (problem !== undefined) return response.writeHead(400).end(problem)
        return answer === 'hold' ? undefined : response.writeHead(answer.status, answer.headers).end()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = `localhost:${port}`
  return {
    host,
    port,
    authority: ca,
    received,
    respond: (...next) => void responses.push(...next),
    subscribe() {
      const path = `/push/${randomBytes(16).toString('base64url')}`
      const browser = createBrowser()
      browsers.set(path, browser)
      return {
        endpoint: `https://${host}${path}`,
        keys: {
          p256dh: browser.ecdh.getPublicKey().toString('base64url'),
          auth: browser.auth.toString('base64url'),
        },
      }
    },
    until: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Browser = ReturnType<typeof createBrowser>

function createBrowser() {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { ecdh, auth: randomBytes(16) }
}

/** @throws when the push is not one that this browser can read, or that its sender has not signed for `origin` */
async function readPush(
  browser: Browser,
  headers: IncomingHttpHeaders,
  body: Buffer,
  origin: string,
): Promise<ReceivedPush> {
  const [, token = '', senderKey = ''] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const { payload: claims } = await jwtVerify(token, await toPublicKey(senderKey), { audience: origin })
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('the encoding is not aes128gcm')
  return { headers, payload: PushPayload.parse(JSON.parse(decrypt(browser, body))), claims, senderKey }
}

async function toPublicKey(point: string) {
  const bytes = Buffer.from(point, 'base64url')
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) => part.toString('base64url'))
  return importJWK({ kty: 'EC', crv: 'P-256', x, y } as Parameters<typeof importJWK>[0], 'ES256')
}

/** RFC 8291, section 4, with the one record of RFC 8188. */
function decrypt({ ecdh, auth }: Browser, body: Buffer): string {
  const salt = body.subarray(0, 16)
  const keyEnd = 21 + body.readUInt8(20)
  const senderPoint = body.subarray(21, keyEnd)
  const record = body.subarray(keyEnd)
  if (record.length > body.readUInt32BE(16)) throw new Error('the record is longer than it says')
  const derive = (secret: Buffer, salted: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salted, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderPoint])
  const input = derive(ecdh.computeSecret(senderPoint), auth, info, 32)
  const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = text.lastIndexOf(2)
  if (end < 0) throw new Error('the record has no end')
  return text.subarray(0, end).toString('utf8')
}
