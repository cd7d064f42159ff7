import { waitAtMost } from '../lib/abort.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import type { Database } from './database.ts'
import { requireMigrated } from './migrate.ts'
import { deleteNode, deleteOldChanges, listLiveNodes, upsertNode } from './node-store.ts'

/** A server among those that use the database. */
export interface Node {
  /**
   * Tells the other servers that this one is about to end. Resolves with whether one of them can take over. False when
   * the database does not respond.
   */
  drain(): Promise<boolean>
  /** The database must still be open. */
  close(): Promise<void>
}

/** Milliseconds after which a server that does not renew its lease counts as ended, and between two renewals. */
export const nodeLeaseMs = 30_000
const renewIntervalMs = 10_000
/** Milliseconds for which changes are stored; servers without notifications read those of the last ten seconds. */
const maxChangeAgeMs = 60_000
/** Milliseconds for a statement about a node during the shutdown. */
const maxStatementMs = 2_000

/** With SQLite, `lockDataFolder` makes sure that there is one server. */
const onlyNode: Node = {
  drain: () => Promise.resolve(false),
  close: () => Promise.resolve(),
}

/**
 * Registers this process among the servers of the database, so that a restore beside it is refused. Rows instead of
 * locks, because a session of PostgreSQL may not belong to a process: behind a pooler, statements of several processes
 * share it.
 * @throws AppError when another version has replaced the database since it was opened
 */
export async function openNode(
  { db, dialect }: Database,
  id: string,
  onError: (error: unknown) => void,
): Promise<Node> {
  if (dialect.kind === 'sqlite') return onlyNode
  let draining = false
  const renew = () => upsertNode(db, dialect, { id, leaseMs: nodeLeaseMs, draining })
  await db.transaction().execute(async (trx) => {
    // Waits for a restore, and makes one wait.
    await dialect.lockMigrations(trx)
    await requireMigrated({ db: trx })
    await upsertNode(trx, dialect, { id, leaseMs: nodeLeaseMs, draining })
  })
  const stopRenewing = repeatUntilStopped(
    async () => {
      await renew()
      await deleteOldChanges(db, dialect, maxChangeAgeMs)
    },
    renewIntervalMs,
    onError,
  )
  const tryTo = (work: Promise<unknown>) => waitAtMost(work.catch(onError), maxStatementMs)
  return {
    async drain() {
      draining = true
      let nodes: Awaited<ReturnType<typeof listLiveNodes>> = []
      const write = async () => {
        await renew()
        nodes = await listLiveNodes(db, dialect)
      }
      await tryTo(write())
      return nodes.some((node) => node.id !== id && node.draining === 0)
    },
    async close() {
      await tryTo(stopRenewing().then(() => deleteNode(db, dialect, id)))
    },
  }
}
