import type { Config } from '../../config/config.ts'
import {
  createDiagnosisUrl,
  deleteDiagnosisUrl,
  frameCount,
  frameIntervalMs,
  type ReceivedRequest,
} from '../../diagnosis/diagnosis-link.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { addressSettings } from './address-check.ts'
import { reasonOf, type Check, type Report } from './finding.ts'

/** A name with a slash, as in the path of a bot. */
const parameter = 'a%2Fb'
/** An address that is reserved for documentation, so no client has it. */
const forgedAddress = '203.0.113.7'
/** Milliseconds for the whole stream, also when the proxy buffers it until its end. */
const maxStreamMs = 10_000 + frameCount * frameIntervalMs

/** The proxy in front of the server: that it passes on host, address, path and streams unchanged. */
export const proxyCheck: Check = {
  name: 'proxy',
  settings: addressSettings,
  async run({ config, database, sealer, isServing, guards, now }, report) {
    const { publicUrl } = config
    if (!isServing) return 'Not checked, because no server of Yonder runs here.'
    if (database === null || sealer === null) {
      report.warning('Not checked, because the database or its key cannot be used.')
      return undefined
    }
    const url = await createDiagnosisUrl(database.db, sealer, { publicUrl, parameter, now: now() })
    try {
      await examineResponse(config, guards.operatorSupplied, url, report)
    } finally {
      await deleteDiagnosisUrl(database.db)
    }
    return `Requests through ${publicUrl} arrive unchanged, and streams are not buffered.`
  },
}

async function examineResponse(
  config: Config,
  guard: GuardedFetch,
  url: string,
  report: Report,
): Promise<void> {
  let response: Response
  try {
    response = await guard.fetch(url, {
      headers: { 'x-forwarded-for': forgedAddress },
      signal: AbortSignal.timeout(maxStreamMs),
    })
  } catch (error) {
    return report.problem(describeNetworkError(config.publicUrl, error))
  }
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return report.problem(describeRefusal(config, response.status, await response.text()))
  const { first, isStreamed } = await readStream(response)
  if (first === null)
    return report.problem(
      `The stream through ${config.publicUrl} was cut before its first event. Check the proxy.`,
    )
  if (first.parameter !== parameter)
    report.problem(
      `The proxy changes paths: it made "${first.parameter}" of "${parameter}", so bots and connectors with a slash in their name cannot be opened. Let it pass on the path as it is (nginx: proxy_pass without a path).`,
    )
  examineAddress(first, report)
  if (!isStreamed)
    report.problem(
      'The proxy buffers streams, so replies appear late and in large pieces. Turn its buffering off (nginx: proxy_buffering off).',
    )
}

function describeNetworkError(publicUrl: string, error: unknown): string {
  const reason = reasonOf(error)
  // The guard for addresses of the operator refuses redirects only.
  if (error instanceof AppError && error.code === 'address_refused')
    return `${publicUrl} redirects: ${reason} Set PUBLIC_URL to the address that users open, and let no proxy redirect it.`
  if (/certificate|self.signed|CERT_/i.test(`${reason} ${errorCode(error)}`)) {
    return `The certificate of ${publicUrl} is not accepted: ${reason}. Renew it. If it is from your own authority, set NODE_EXTRA_CA_CERTS to the file of the authority.`
  }
  return `${publicUrl} cannot be reached from this machine: ${reason}. Check PUBLIC_URL, DNS, the proxy and the firewall.`
}

function describeRefusal({ publicUrl, port }: Config, status: number, body: string): string {
  if (status === 400 && body.includes('This address is not served here')) {
    return `The proxy at ${publicUrl} does not pass on the Host header. Configure it to do so (nginx: proxy_set_header Host $http_host).`
  }
  if (status === 404 && body.includes('"not_found"')) {
    return `At ${publicUrl}, a Yonder with another database responds. Check DATA_DIR, DATABASE_URL and PUBLIC_URL.`
  }
  if (status >= 500) {
    return `At ${publicUrl}, the response has the status ${status}. Check that the proxy forwards requests to port ${port}, and read its log.`
  }
  return `At ${publicUrl}, something other than Yonder responds (status ${status}). Check PUBLIC_URL and the proxy.`
}

/** Reads until it is known whether frames arrive one by one. */
async function readStream(
  response: Response,
): Promise<{ readonly first: ReceivedRequest | null; readonly isStreamed: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let isStreamed = false
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const frames = text.split('\n\n').length - 1
      // The server writes the frames over 1.8 seconds, so a proxy that buffers passes on all of them together.
      isStreamed = frames >= 2 && frames < frameCount
      if (isStreamed || frames >= frameCount) break
    }
  } catch {
    // The connection broke, or the proxy buffered the stream for too long.
  }
  const line = /^data: (\{.*\})$/m.exec(text)?.[1]
  return { first: line === undefined ? null : (JSON.parse(line) as ReceivedRequest), isStreamed }
}

function examineAddress(received: ReceivedRequest, report: Report): void {
  const { address, peer, forwardedFor, isPeerTrusted, isProxied } = received
  const hops = forwardedFor?.split(',').map((hop) => hop.trim()) ?? []
  // The header was sent, so a proxy has removed it.
  if (hops.length === 0)
    return report.warning(
      'The proxy does not send X-Forwarded-For, so all users share its rate limits. Let it add the header (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).',
    )
  // When the last hop is another address, a proxy added that of this machine. Then the forged one counts only because
  // TRUSTED_PROXIES contains this machine, which is no problem.
  if (address === forgedAddress && hops.at(-1) === forgedAddress)
    return report[isProxied ? 'problem' : 'warning'](
      `A client can choose its address: ${peer} is in TRUSTED_PROXIES, but passes on the X-Forwarded-For of clients. Let the proxy add the address to the header (nginx: $proxy_add_x_forwarded_for), or remove it from TRUSTED_PROXIES.`,
    )
  const isForwarded = isProxied || hops.some((hop) => hop !== forgedAddress)
  if (isForwarded && !isPeerTrusted)
    report.warning(
      `All users share the rate limits of the proxy, because its address is not trusted. Set TRUSTED_PROXIES=${peer}`,
    )
}
