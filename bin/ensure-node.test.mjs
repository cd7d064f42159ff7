import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodePackages } from './node-packages.mjs'
import { isAtLeast, oldestNode } from './node-version.mjs'
import { rootFolder } from './run-command.mjs'

const nodePackage = nodePackages[`${process.platform}-${process.arch}`]
/** Makes this Node pretend to be an old one, unless the stand-in for the newer one has started it. */
const pretend = (/** @type {string} */ version) =>
  `data:text/javascript,if (!process.env.IS_NEWER) Object.defineProperty(process.versions, "node", { value: "${version}" })`

it('versions are compared by their numbers', () => {
  expect(
    ['22.14.0', '22.14.1', '24.0.0', '100.0.0'].filter((version) => isAtLeast(version, '22.14.0')),
  ).toHaveLength(4)
  expect(['22.13.9', '20.20.2', '9.99.9'].filter((version) => isAtLeast(version, '22.14.0'))).toEqual([])
})

it('the oldest Node is the one that the package names, and the registry has newer ones', () => {
  const { engines } = JSON.parse(readFileSync(join(rootFolder, 'package.json'), 'utf8'))
  expect(`>=${oldestNode}`).toBe(`${engines.node}.0`)
  for (const { version } of Object.values(nodePackages)) expect(isAtLeast(version, oldestNode)).toBe(true)
})

describe.skipIf(process.platform === 'win32' || nodePackage === undefined)(
  'on a Node that is too old',
  () => {
    let folder = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'yonder-old-node-'))
      cpSync(join(rootFolder, 'bin'), join(folder, 'bin'), { recursive: true })
      mkdirSync(join(folder, 'programs'))
      writeFileSync(
        join(folder, 'bin/program.mjs'),
        `import './ensure-node.mjs'
process.on('SIGTERM', () => { console.log('terminated'); process.exit(7) })
console.log('ready', process.argv.slice(2).join(' '))
process.stdin.on('data', (data) => console.log('read ' + data))
process.stdin.on('end', () => process.exit(3))
`,
      )
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    /** A stand-in for npm, which is as quick as a registry that is not asked. @param {string} script */
    function writeNpm(script) {
      const path = join(folder, 'programs/npm')
      writeFileSync(path, `#!/bin/sh\necho "npm $1" >> '${join(folder, 'npm.log')}'\n${script}\n`)
      chmodSync(path, 0o755)
    }

    const bin = `node_modules/${nodePackage?.name}/bin`
    const working = `mkdir -p ${bin} && printf '#!/bin/sh\\nIS_NEWER=1 exec "${process.execPath}" "$@"\\n' > ${bin}/node && chmod +x ${bin}/node`

    /** @param {{ version?: string, parameters?: readonly string[] }} [options] */
    function start({ version = '20.19.0', parameters = [] } = {}) {
      return spawn(process.execPath, [join(folder, 'bin/program.mjs'), ...parameters], {
        env: {
          PATH: `${join(folder, 'programs')}${delimiter}${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`,
          HOME: folder,
          NODE_OPTIONS: `--import=${encodeURI(pretend(version))}`,
        },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
    }

    /** @param {ReturnType<typeof start>} child */
    async function collect(child) {
      let output = ''
      child.stdout.on('data', (data) => (output += data))
      child.stderr.on('data', (data) => (output += data))
      const [code] = await once(child, 'close')
      return { code, output }
    }

    it('fetches a newer one once, and passes on arguments, input and the exit code', async () => {
      writeNpm(working)
      for (const _ of [1, 2]) {
        const child = start({ parameters: ['a', 'b c'] })
        child.stdin.end('words')
        const { code, output } = await collect(child)
        expect(code).toBe(3)
        expect(output).toContain('ready a b c\nread words\n')
      }
      expect(readFileSync(join(folder, 'npm.log'), 'utf8')).toBe('npm ci\n')
      expect(readdirSync(join(folder, '.cache/yonder'))).toHaveLength(1)
    })

    it('passes on a signal', async () => {
      writeNpm(working)
      const child = start()
      const ended = collect(child)
      await new Promise((resolve) =>
        child.stdout.on('data', (data) => String(data).includes('ready') && resolve(null)),
      )
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ code: 7, output: expect.stringContaining('terminated') })
    })

    it('says in one sentence what to install when it cannot be fetched, and keeps nothing', async () => {
      writeNpm('echo "npm error code ENOTFOUND" >&2; exit 1')
      const { code, output } = await collect(start())
      expect(code).toBe(1)
      expect(output.trimEnd().split('\n').at(-1)).toBe(
        'Yonder needs Node 22.14 or newer; this is 20.19.0, and Node 24 could not be fetched: npm error code ENOTFOUND. Download it from https://nodejs.org',
      )
      expect(readdirSync(join(folder, '.cache/yonder'))).toEqual([])
    })

    it('is not fetched by a Node that is older still', async () => {
      writeNpm(working)
      const { code, output } = await collect(start({ version: '18.20.8' }))
      expect([code, output]).toEqual([
        1,
        'Yonder needs Node 22.14 or newer; this is 18.20.8. Download it from https://nodejs.org\n',
      ])
      expect(existsSync(join(folder, 'npm.log'))).toBe(false)
    })
  },
)
