import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface Proxy {
  /** Its own certificate, which a client has to trust. */
  readonly certificate: string
  /** Starts the proxy. It forwards requests to the products at these ports; without a second one, nothing is there. */
  start(firstPort: number, secondPort?: number): Promise<void>
  /** The address that users open, known before the start. */
  readonly url: string
  /** Ends the process and removes its files. */
  remove(): Promise<void>
}

/**
 * Whether the proxy, and `openssl` for its certificate, are on this machine. `npm run proxies` installs the proxies.
 */
export function hasProxy(name: ProxyName): boolean {
  const finds = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  return finds(name) && finds('openssl')
}

/** Texts of an example of `deploy/proxies/` and their replacements. `start` throws when the example lacks one. */
export type Replacements = Readonly<Record<string, string>>

/** Prepares a proxy with its example of `deploy/proxies/`, in which addresses, files and `changes` are replaced. */
export async function openProxy(name: ProxyName, changes: Replacements = {}): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `yonder-${name}-`))
  const [port, plainPort] = [await freePort(), await freePort()]
  const [certificateFile, keyFile] = createCertificate(folder)
  const both = join(folder, 'both.pem')
  writeFileSync(both, readFileSync(certificateFile, 'utf8') + readFileSync(keyFile, 'utf8'))
  let child: ReturnType<typeof spawn> | undefined
  let printed = ''

  const examples = {
    nginx: {
      file: 'nginx.conf',
      replaced: {
        'listen 80;': `listen 127.0.0.1:${plainPort};`,
        'listen 443': `listen 127.0.0.1:${port}`,
        'chat.example.com;': 'localhost;',
        '/etc/ssl/chat.example.com/fullchain.pem': certificateFile,
        '/etc/ssl/chat.example.com/privkey.pem': keyFile,
      },
      wrap: (example: string) => `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events { worker_connections 200; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${example}
}`,
      parameters: (file: string) => ['-p', folder, '-e', 'stderr', '-c', file],
    },
    caddy: {
      file: 'Caddyfile',
      replaced: {
        'chat.example.com {': `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificateFile} ${keyFile}`,
      },
      wrap: (example: string) => `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${example}`,
      parameters: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
    },
    haproxy: {
      file: 'haproxy.cfg',
      replaced: {
        'bind :80': `bind 127.0.0.1:${plainPort}`,
        'bind :443': `bind 127.0.0.1:${port}`,
        '/etc/ssl/chat.example.com.pem': both,
      },
      wrap: (example: string) => example,
      parameters: (file: string) => ['-db', '-f', file],
    },
  }
  const { file, replaced, wrap, parameters } = examples[name]

  return {
    certificate: readFileSync(certificateFile, 'utf8'),
    url: `https://localhost:${port}`,
    async start(firstPort, secondPort) {
      const path = join(folder, file)
      const addresses = {
        '127.0.0.1:3000': `127.0.0.1:${firstPort}`,
        '127.0.0.1:3001': `127.0.0.1:${secondPort ?? (await freePort())}`,
      }
      writeFileSync(path, wrap(readExample(file, { ...replaced, ...addresses, ...changes })))
      const folders = ['HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'].map((variable) => `${variable}=${folder}`)
      child = spawn('env', [...folders, name, ...parameters(path)], { stdio: ['ignore', 'pipe', 'pipe'] })
      const collect = (chunk: Buffer) => (printed += chunk.toString())
      child.stdout?.on('data', collect)
      child.stderr?.on('data', collect)
      while (!(await accepts(port))) {
        if (child.exitCode !== null) throw new Error(`${name} does not start:\n${printed}`)
        await wait(20)
      }
    },
    async remove() {
      if (child?.exitCode === null) {
        const ended = once(child, 'close')
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true })
    },
  }
}

function readExample(file: string, replacements: Replacements): string {
  let text = readFileSync(fileURLToPath(new URL(`../../deploy/proxies/${file}`, import.meta.url)), 'utf8')
  text = text.replaceAll(/^#.*\n/gm, '')
  for (const [found, replacement] of Object.entries(replacements)) {
    if (!text.includes(found)) throw new Error(`${file} does not contain: ${found}`)
    text = text.replaceAll(found, replacement)
  }
  return text
}

/** Creates a certificate for localhost. Returns its file and that of its key. */
function createCertificate(folder: string): readonly [string, string] {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', ...algorithm, ...names, '-keyout', key, '-out', certificate],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`)
  return [certificate, key]
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
