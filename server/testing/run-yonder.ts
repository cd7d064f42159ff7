import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from '../cli/run-cli.ts'

export interface YonderOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** What the user types; a function is called when the command reads it. Without it, standard input is no terminal. */
  readonly input?: string | (() => Promise<string>)
}

export interface YonderResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command `yonder` in this process. */
export async function runYonder(
  parameters: readonly string[],
  { settings = {}, input }: YonderOptions = {},
): Promise<YonderResult> {
  const stdin = Object.assign(Readable.from(typeIn(input)), { isTTY: input !== undefined })
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: false })
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCli(parameters, { streams: { stdin, stdout, stderr }, settings })
  stdout.end()
  stderr.end()
  const [out, errors] = await printed
  return { code, stdout: out, stderr: errors }
}

async function* typeIn(input: YonderOptions['input']): AsyncGenerator<string> {
  if (input !== undefined) yield typeof input === 'string' ? input : await input()
}
