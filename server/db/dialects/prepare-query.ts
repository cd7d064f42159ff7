import { isExpression } from 'kysely'
import type { CompiledQuery, DialectAdapter, QueryResult } from 'kysely'
import type { Db } from '../database.ts'

/** Stands for a value while a query is built. */
class Placeholder {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

/**
 * A query that is built once for each database, and from then on only given its values: building a short one takes three
 * times as long as SQLite takes to answer it. For the way of a message; elsewhere a plain query reads better.
 *
 * `build` gets placeholders for the values. They may stand wherever SQL takes a parameter; nothing may be decided by them,
 * and they cannot be spread. A value that is SQL itself, such as the engine's clock, must be the same every time.
 */
export function prepareQuery<Values extends object, Row>(
  build: (db: Db, values: Values) => CompiledQuery<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  const built = new WeakMap<DialectAdapter, CompiledQuery<Row>>()
  return (db, values) => {
    // A database and its transactions share it.
    const { adapter } = db.getExecutor()
    let query = built.get(adapter)
    if (query === undefined) {
      query = build(db, hideValues(values))
      built.set(adapter, query)
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    )
    return db.executeQuery({ sql: query.sql, query: query.query, queryId: query.queryId, parameters })
  }
}

function hideValues<Values extends object>(values: Values): Values {
  return new Proxy(values, {
    get(_, name) {
      const value = values[name as keyof Values]
      return isExpression(value) ? value : new Placeholder(name)
    },
  })
}
