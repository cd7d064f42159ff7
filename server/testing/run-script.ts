import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

/** Runs TypeScript in a process of its own, as another start of the product would be; with `settings` as its whole environment. */
export async function runScript(
  code: string,
  settings?: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly output: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(settings === undefined ? {} : { env: settings }),
  })
  const [[status], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { status, output: output + errors }
}

/** The address of a server module for an import in such a script. */
export function moduleUrl(path: string): string {
  return pathToFileURL(new URL(`../${path}`, import.meta.url).pathname).href
}
