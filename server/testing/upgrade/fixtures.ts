import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { filesFolderOf } from '../../db/dialects/sqlite.ts'
import { sqliteFileName } from '../../db/open-database.ts'
import type { Engine } from '../database/test-database.ts'

/*
 * A fixture is the data of an installation of an earlier version: `server/db/fixtures/<migrations>/`, named after the
 * number of migrations of that version. Its passwords, keys and tokens are made up and protect nothing.
 */

const folder = fileURLToPath(new URL('../../db/fixtures/', import.meta.url))

/** The copy of the installation's `secret.key` in a fixture. */
const keyFile = 'secret-of-this-fixture.key'
const dataFiles = { sqlite: 'yonder.sqlite.gz', postgres: 'postgres.sql.gz' } as const

/** Where the installation of a fixture was reachable. Its tokens belong to this address. */
export const fixtureUrl = 'http://localhost:4815'

/** The settings of the installation, beside its address and its data. */
export const fixtureSettings = {
  CONNECTOR_REGISTRY_URL: 'none',
  API_KEY_SERVICES: JSON.stringify([{ name: 'search', url: 'http://127.0.0.1:9/mcp' }]),
  DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
  DEFAULT_MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
  LOG_LEVEL: 'warn',
} as const

/** The accounts of every fixture. */
export const fixtureUsers = [
  { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse of Ada' },
  { name: 'Grace Hopper', email: 'grace@example.com', password: 'correct horse of Grace' },
] as const

/** The secrets that Ada has stored. */
export const fixtureSecrets = {
  botKey: 'key-of-a-bot',
  connectorToken: 'token-of-a-connector',
  connectorHeader: 'header-of-a-connector',
  integrationKey: 'key-of-an-integration',
} as const

/** A GET request to the version of the fixture, and its response. */
export interface RecordedResponse {
  readonly path: string
  readonly status: number
  /** JSON, or a text. */
  readonly body: unknown
}

/** What users read from the version of a fixture. */
export interface FixtureContent {
  /** The commit of the version. */
  readonly commit: string
  readonly users: readonly { readonly email: string; readonly responses: readonly RecordedResponse[] }[]
  /** The responses to a visitor without an account. */
  readonly visitor: readonly RecordedResponse[]
}

/** The numbers of migrations of all fixtures, ascending. */
export function listFixtures(): readonly number[] {
  return readdirSync(folder)
    .map(Number)
    .filter((migrations) => migrations > 0)
    .toSorted((a, b) => a - b)
}

/** The responses of one engine. The ids in them differ between the engines. */
export function readFixtureContent(migrations: number, engine: Engine): FixtureContent {
  return JSON.parse(readZipped(migrations, `${engine}-content.json.gz`).toString()) as FixtureContent
}

/**
 * Writes the key of a fixture into a data folder, and with SQLite the database. Returns the SQL that restores the data
 * into an empty PostgreSQL database, or null with SQLite.
 */
export function unpackFixture(migrations: number, engine: Engine, dataDir: string): string | null {
  writeFileSync(join(dataDir, 'secret.key'), readFileSync(pathOf(migrations, keyFile)), { mode: 0o600 })
  const data = readZipped(migrations, dataFiles[engine])
  if (engine === 'postgres') return data.toString()
  const path = join(dataDir, sqliteFileName)
  writeFileSync(path, data, { mode: 0o600 })
  for (const [name, bytes] of Object.entries(readFixtureFiles(migrations))) {
    const file = join(filesFolderOf(path), name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(bytes, 'base64'))
  }
  return null
}

/** The files of users beside a SQLite file, by their paths, as base64. Versions before migration 9 had none. */
export type FixtureFiles = Readonly<Record<string, string>>

const filesName = 'sqlite-files.json.gz'

function readFixtureFiles(migrations: number): FixtureFiles {
  if (!existsSync(pathOf(migrations, filesName))) return {}
  return JSON.parse(readZipped(migrations, filesName).toString()) as FixtureFiles
}

export interface NewFixture {
  readonly migrations: number
  readonly engine: Engine
  readonly secretKey: Buffer
  /** The SQLite file, or the SQL of `pg_dump`. */
  readonly data: Buffer
  /** With SQLite. */
  readonly files?: FixtureFiles
  readonly content: FixtureContent
}

/** Writes the files of one engine, over those that exist. */
export function writeFixture({ migrations, engine, secretKey, data, files, content }: NewFixture): void {
  mkdirSync(pathOf(migrations, ''), { recursive: true })
  writeFileSync(pathOf(migrations, keyFile), secretKey)
  writeZipped(migrations, dataFiles[engine], data)
  if (files !== undefined) writeZipped(migrations, filesName, Buffer.from(JSON.stringify(files)))
  writeZipped(migrations, `${engine}-content.json.gz`, Buffer.from(JSON.stringify(content)))
}

function pathOf(migrations: number, name: string): string {
  return join(folder, String(migrations), name)
}

function readZipped(migrations: number, name: string): Buffer {
  return gunzipSync(readFileSync(pathOf(migrations, name)))
}

function writeZipped(migrations: number, name: string, content: Buffer): void {
  writeFileSync(pathOf(migrations, name), gzipSync(content, { level: 9 }))
}
