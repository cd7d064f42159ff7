import pg from 'pg'
import { SqliteFile } from '../../db/dialects/sqlite-file.ts'
import type { Engine } from './test-database.ts'

/** Where the driver of PostgreSQL reports an error: for the statement, or when a connection is acquired. */
export type FailingStep = 'statement' | 'connect'

type Method = (this: unknown, ...parameters: never[]) => unknown

/**
 * Makes every statement of this process fail with `error`, on PostgreSQL all but rollbacks. Returns a function that
 * restores the driver.
 */
export function failStatements(engine: Engine, error: Error, step: FailingStep = 'statement'): () => void {
  if (engine === 'postgres') {
    return step === 'connect'
      ? replace(pg.Pool.prototype, 'connect', () => () => Promise.reject(error))
      : replace(
          pg.Client.prototype,
          'query',
          (original) =>
            function query(this: unknown, ...parameters: never[]) {
              return parameters[0] === 'rollback' ? original.apply(this, parameters) : Promise.reject(error)
            },
        )
  }
  const file = new SqliteFile(':memory:')
  const prototype = Object.getPrototypeOf(file.prepare('select 1')) as object
  file.close()
  const fail = () =>
    function execute(): never {
      throw error
    }
  const restore = [
    ...['run', 'get', 'all'].map((name) => replace(prototype, name, fail)),
    replace(SqliteFile.prototype, 'exec', fail),
  ]
  return () => restore.forEach((undo) => undo())
}

function replace(target: object, name: string, create: (original: Method) => Method): () => void {
  const methods = target as Record<string, Method>
  const original = methods[name]
  if (original === undefined) throw new Error(`There is no method ${name}.`)
  methods[name] = create(original)
  return () => {
    methods[name] = original
  }
}
