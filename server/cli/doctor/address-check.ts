import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../../config/config.ts'
import { isLoopbackName, isSecureOrigin } from '../../http/host-check.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { messageOf, reportUnchecked, type Check, type Report } from './finding.ts'

/** Milliseconds for a request to a server that may hang. */
export const maxRequestMs = 5_000

/** The settings that may give another `publicUrl` when they are wrong, because a wrong setting counts as unset. */
export const addressSettings: readonly string[] = ['PUBLIC_URL', 'PORT', 'TLS', 'TLS_CERT']

/** `PUBLIC_URL`, `HOST` and `PORT`: that browsers can sign in there, and that the port is free or used by Yonder. */
export const addressCheck: Check = {
  name: 'addresses',
  async run(context, report) {
    const { config, guards } = context
    if (!reportUnchecked(context, addressSettings, report)) examineUrl(config, report)
    if (!context.problems.some(({ name }) => name === 'PORT'))
      context.isServing = await examinePort(config, guards.operatorSupplied, report)
    return undefined
  },
}

function examineUrl({ publicUrl, host }: Config, report: Report): void {
  const isPublic = !isLoopbackName(new URL(publicUrl).hostname)
  const listensOnLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host)
  if (!isSecureOrigin(publicUrl))
    report.problem(
      `Nobody can sign in at ${publicUrl}, because browsers allow the cryptography of the sign-in on https and on localhost only. Put a proxy with TLS in front of Yonder and set PUBLIC_URL to its https address, or set TLS=local and remove PUBLIC_URL.`,
    )
  else if (!isPublic && !listensOnLoopback)
    report.warning(
      `HOST is ${host}, so other machines can connect, but at ${publicUrl} (PUBLIC_URL) each of them reaches only itself. Set PUBLIC_URL to the address that users open.`,
    )
  else report.ok(`Users open ${publicUrl}.`)
}

/** Returns whether a server of Yonder uses the port. */
async function examinePort({ host, port }: Config, guard: GuardedFetch, report: Report): Promise<boolean> {
  if (port === 0) return false
  const place = `port ${port} of ${host}`
  const code = await tryToListen(host, port)
  if (code === 'EADDRINUSE') return examineServer(place, originOf(host, port), guard, report)
  if (code === null) report.ok(`The ${place} is free: no server runs there.`)
  else if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    report.problem(
      `HOST is ${host}, which is not an address of this machine. Set it to one of its addresses, or to 0.0.0.0.`,
    )
  else if (code === 'EACCES')
    report.problem(
      `This user may not listen on ${place}. Set PORT to 1024 or more. A proxy can listen on a lower port.`,
    )
  else report.problem(`The ${place} cannot be used (${code}). Check HOST and PORT.`)
  return false
}

/** Returns null when the port is free, else the code of the error. */
async function tryToListen(host: string, port: number): Promise<string | null> {
  const probe = createServer()
  try {
    probe.listen({ host, port, exclusive: true })
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
    return null
  } catch (error) {
    return errorCode(error) || messageOf(error)
  }
}

/** The address at which a server that listens on `host` is reached from this machine. */
function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

async function examineServer(
  place: string,
  origin: string,
  guard: GuardedFetch,
  report: Report,
): Promise<boolean> {
  const health = await readJson(guard, `${origin}/healthz`)
  if (health?.status !== 'ok') {
    report.problem(`Another program uses ${place}. Stop it, or set PORT to another one.`)
    return false
  }
  const ready = await readJson(guard, `${origin}/readyz`)
  if (ready?.status === 'ready') report.ok(`A server of Yonder runs on ${place} and is ready.`)
  else
    report.problem(
      `The server of Yonder on ${place} is not ready: ${ready?.error?.message ?? 'it does not respond.'}`,
    )
  return true
}

interface HealthBody {
  readonly status?: unknown
  readonly error?: { readonly message?: string }
}

/** Undefined when the response is not JSON, or there is none. */
async function readJson(guard: GuardedFetch, url: string): Promise<HealthBody | undefined> {
  try {
    const response = await guard.fetch(url, { signal: AbortSignal.timeout(maxRequestMs) })
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}
