import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runCommand } from '../../bin/run-command.mjs'
import { freePort } from '../../server/testing/free-port.ts'
import { SignInSession } from '../../server/testing/identity/sign-in-session.ts'
import { imageName, runEngine } from './engine.mjs'

/** @typedef {import('./engine.mjs').Engine} Engine */

/** As restricted as in `compose.yaml`. */
const restrictions = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges']
const maxStartMs = 60_000

/**
 * Starts the image as an operator does, and with mistakes that have messages of their own. Throws at the first failure.
 *
 * @param {Engine} engine
 */
export async function testImage(engine) {
  const volume = `yonder-smoke-${randomBytes(4).toString('hex')}`
  const restored = `${volume}-restored`
  const hostFolder = mkdtempSync(join(tmpdir(), 'yonder-smoke-'))
  chmodSync(hostFolder, 0o755)
  try {
    await testProduct(engine, volume, restored)
    await testWarning(engine, [], /volume of \/data has no name/)
    const asRoot = [`--volume=${volume}:/data`, '--user=0:0', '--cap-add=DAC_OVERRIDE']
    await testWarning(engine, asRoot, /Yonder runs as root/)
    await testRefusal(
      engine,
      `--volume=${volume}:/data:ro`,
      /cannot write to \/data, because it is mounted read-only/,
    )
    await testRefusal(
      engine,
      `--volume=${hostFolder}:/data`,
      /\/data as user 1000, because it belongs to user 0/,
    )
  } finally {
    await runEngine(engine, ['volume', 'rm', '--force', volume, restored])
    rmSync(hostFolder, { recursive: true })
  }
}

/**
 * @param {Engine} engine
 * @param {string} volume
 * @param {string} restored the volume into which a backup is restored
 */
async function testProduct(engine, volume, restored) {
  await withContainer(engine, [`--volume=${volume}:/data`], async ({ base, name, logs }) => {
    const inside = (/** @type {string[]} */ ...command) => runEngine(engine, ['exec', name, ...command])
    assert.equal(await inside('id', '-u'), '1000')
    await assert.rejects(inside('touch', '/opt/yonder/file'), /[Rr]ead-only/)
    const [image] = JSON.parse(await runEngine(engine, ['inspect', '--type=image', imageName]))
    // Docker and Podman list the health check in different places.
    const [kind, ...command] = (image.Config.Healthcheck ?? image.Healthcheck).Test
    assert.equal(kind, 'CMD')
    await inside(...command)
    assert.match(await inside('yonder', 'version'), /^Yonder /)
    passed('the image runs as user 1000 on a read-only root, and its health check succeeds')

    const page = await (await fetch(base)).text()
    assert.match(page, /<div id="root"/)
    const { access_token: token } = await new SignInSession(base).join()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    /** @type {(path: string) => Promise<any>} */
    const read = async (path) => (await fetch(base + path, { headers })).json()
    const [bot] = await read('/api/bots')
    const { id: chatId } = await read('/api/chat/id')
    const body = JSON.stringify({ chatId, botName: bot.name, content: 'Hello' })
    const reply = await fetch(`${base}/api/chat/completions`, { method: 'POST', headers, body })
    assert.match(await reply.text(), /"type":"ended"/)
    const { messages } = await read(`/api/chats/${chatId}`)
    assert.equal(messages.length, 2)
    assert.equal(messages[1].status, 'complete')
    passed('the page is served, a user signs up, and the demo model replies')

    assert.doesNotMatch(await logs(), /is lost|has no name|runs as root/)
    await runEngine(engine, ['stop', name])
    const exitCode = await runEngine(engine, ['inspect', '--format', '{{.State.ExitCode}}', name])
    assert.equal(exitCode, '0')
    await runEngine(engine, ['rm', name])
    /** @type {(from: string, use?: (name: string) => Promise<unknown>) => Promise<void>} */
    const findChat = (from, use) =>
      withContainer(
        engine,
        [`--volume=${from}:/data`],
        async (next) => {
          const response = await fetch(`${next.base}/api/chats/${chatId}`, { headers })
          assert.deepEqual((await response.json()).messages, messages)
          await use?.(next.name)
        },
        Number(new URL(base).port),
      )
    const backup = ['yonder', 'backup', '/data/today.backup', '--with-key']
    await findChat(volume, (next) => runEngine(engine, ['exec', next, ...backup]))
    passed('the next container has the same chats, and the sign-in is still valid')

    const volumes = [`--volume=${volume}:/old:ro`, `--volume=${restored}:/data`]
    const options = ['--rm', '--network=host', ...engine.runOptions, ...restrictions, ...volumes]
    await runEngine(engine, ['run', ...options, imageName, 'restore', '/old/today.backup'])
    await findChat(restored)
    passed('a backup that was made while the server ran is restored to another volume')
  })
}

/**
 * @param {Engine} engine
 * @param {readonly string[]} options
 * @param {RegExp} warning
 */
async function testWarning(engine, options, warning) {
  await withContainer(engine, options, async ({ logs }) => assert.match(await logs(), warning))
  passed(`the log warns: ${warning.source}`)
}

/**
 * @param {Engine} engine
 * @param {string} option
 * @param {RegExp} sentence
 */
async function testRefusal({ program, options, runOptions }, option, sentence) {
  const parameters = [
    ...options,
    'run',
    '--rm',
    '--network=host',
    ...runOptions,
    ...restrictions,
    option,
    imageName,
  ]
  const { code, output } = await runCommand(program, parameters, { quiet: true })
  assert.equal(code, 1)
  assert.match(output, sentence)
  assert.equal(output.trim().split('\n').length, 1, output)
  passed(`the start is refused: ${sentence.source}`)
}

/**
 * @typedef {object} Container
 * @property {string} base the address, without a final slash
 * @property {string} name
 * @property {() => Promise<string>} logs
 */

/**
 * Starts a container that only this machine reaches, waits until it is ready, calls `use`, and removes the container.
 *
 * @param {Engine} engine
 * @param {readonly string[]} options
 * @param {(container: Container) => Promise<void>} use
 * @param {number} [usedPort]
 */
async function withContainer(engine, options, use, usedPort) {
  const port = usedPort ?? (await freePort())
  const base = `http://localhost:${port}`
  const name = `yonder-smoke-${randomBytes(4).toString('hex')}`
  const settings = [`PORT=${port}`, `PUBLIC_URL=${base}`, 'HOST=127.0.0.1', 'CONNECTOR_REGISTRY_URL=none']
  const logs = async () => {
    const { output } = await runCommand(engine.program, [...engine.options, 'logs', name], { quiet: true })
    return output
  }
  const parameters = ['--detach', '--network=host', ...engine.runOptions, ...restrictions, ...options]
  const environment = settings.map((setting) => `--env=${setting}`)
  await runEngine(engine, ['run', `--name=${name}`, ...parameters, ...environment, imageName])
  try {
    await waitUntilReady(base, logs)
    await use({ base, name, logs })
  } finally {
    await runCommand(engine.program, [...engine.options, 'rm', '--force', '--volumes', name], { quiet: true })
  }
}

/**
 * @param {string} base
 * @param {() => Promise<string>} logs
 */
async function waitUntilReady(base, logs) {
  const deadline = Date.now() + maxStartMs
  while (Date.now() < deadline) {
    const response = await fetch(`${base}/readyz`).catch(() => undefined)
    if (response?.ok === true) return
    await wait(200)
  }
  throw new Error(`The container did not become ready:\n${await logs()}`)
}

/** @param {string} what */
function passed(what) {
  console.log(`✓ ${what}`)
}
