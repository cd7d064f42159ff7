import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * Runs a script in a separate process. If `settings` are given, they are its whole environment. The script imports
 * modules by their `moduleUrl`.
 */
export async function runScript(
  code: string,
  settings?: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
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
