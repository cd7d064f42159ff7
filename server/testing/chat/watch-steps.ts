import { AliasNode, type KyselyPlugin, type RootOperationNode, TableNode } from 'kysely'
import type { Database } from '../../db/database.ts'
import { TableBytes } from '../../db/files/table-bytes.ts'

/**
 * Calls `onStep` before and after each statement, and for each piece of a file that is written, with a name such as
 * `after insert user_files`. A statement has run after its step, but its transaction has not been committed.
 */
export function watchSteps(database: Database, onStep: (name: string) => void): Database {
  const names = new WeakMap<object, string>()
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const name = nameOf(node)
      names.set(queryId, name)
      onStep(`before ${name}`)
      return node
    },
    async transformResult({ queryId, result }) {
      onStep(`after ${names.get(queryId) ?? 'a prepared statement'}`)
      return result
    },
  }
  const db = database.db.withPlugin(watch)
  const bytes = database.dialect.kind === 'postgres' ? new TableBytes(db) : database.bytes
  return {
    ...database,
    db,
    bytes: {
      read: (...parameters) => bytes.read(...parameters),
      async write(id, source) {
        await bytes.write(id, watchPieces(source, onStep))
        onStep('after the bytes')
      },
      async delete(id) {
        onStep('before the deletion of bytes')
        await bytes.delete(id)
        onStep('after the deletion of bytes')
      },
    },
  }
}

async function* watchPieces(
  source: AsyncIterable<Uint8Array>,
  onStep: (name: string) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    yield piece
    onStep('after a piece of bytes')
  }
}

/** What a statement does, and with which table; of one that is written as SQL, its beginning. */
function nameOf(node: RootOperationNode): string {
  const verb = /^(Insert|Select|Update|Delete)QueryNode$/.exec(node.kind)?.[1]?.toLowerCase()
  if (verb === undefined) {
    const [words = node.kind] = 'sqlFragments' in node ? node.sqlFragments : []
    return words.replaceAll(/\s+/g, ' ').trim().slice(0, 40)
  }
  const places = [
    'into' in node ? node.into : undefined,
    'table' in node ? node.table : undefined,
    ...('from' in node ? (node.from?.froms ?? []) : []),
  ]
  const tables = places.flatMap((place) => {
    const table = place !== undefined && AliasNode.is(place) ? place.node : place
    return table !== undefined && TableNode.is(table) ? [table.table.identifier.name] : []
  })
  return `${verb} ${tables[0] ?? ''}`
}
