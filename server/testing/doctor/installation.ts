import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Finding } from '../../cli/doctor/finding.ts'
import { insertKey } from '../../db/secrets/key-store.ts'
import { installationKeyContext } from '../../db/secrets/seal-contexts.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { openTestDatabase, type Engine, type TestDatabase } from '../database/test-database.ts'
import { freePort } from '../free-port.ts'
import { testSecret } from '../identity/identity-server.ts'
import { runYonder } from '../run-yonder.ts'

export interface Diagnosis {
  readonly code: number
  readonly findings: readonly Finding[]
  /** The warnings and problems, as `status, check: message`. */
  readonly complaints: readonly string[]
}

/** A healthy installation for each test, in which the test breaks something. */
export class TestInstallation {
  database!: TestDatabase
  settings: Record<string, string> = {}
  readonly sealer = createSealer(testSecret)

  constructor(engine: Engine) {
    beforeEach(async () => {
      this.database = await openTestDatabase(engine)
      const { dataDir, databaseUrl } = this.database.location
      const key = this.sealer.seal('a key', installationKeyContext('form'))
      await insertKey(this.database.db, 'form', key, Date.now())
      if (existsSync(this.path('yonder.sqlite'))) chmodSync(this.path('yonder.sqlite'), 0o600)
      this.settings = {
        PORT: String(await freePort()),
        SECRET_KEY: testSecret,
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl ?? '',
      }
    })
    afterEach(() => this.database.close())
  }

  /** The path of a file in the data folder. */
  path(name: string): string {
    return join(this.database.location.dataDir, name)
  }

  /** Runs `yonder doctor`. */
  async diagnose(settings: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
    const { code, stdout } = await runYonder(['doctor', '--json'], {
      settings: { ...this.settings, ...settings },
    })
    const findings = JSON.parse(stdout) as Finding[]
    return {
      code,
      findings,
      complaints: findings.flatMap(({ check, status, message }) =>
        status === 'ok' ? [] : [`${status}, ${check}: ${message}`],
      ),
    }
  }
}
