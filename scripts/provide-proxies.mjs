import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installSystemPackage } from './install-system-package.mjs'

/** The programs and the Debian packages of the same names. */
const names = ['nginx', 'caddy', 'haproxy', 'pgbouncer']

/**
 * Installs the proxies that `server/http/proxies.test.ts` and `server/db/pgbouncer.test.ts` need, as root on Debian.
 * Without one, its tests are skipped.
 */
export async function provideProxies() {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  for (const name of names)
    if (!folders.some((folder) => existsSync(join(folder, name)))) await installSystemPackage(name)
}
