import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Grant, GrantList } from '@yonder/contract/grant'
import { type Actor, ownerOf } from '../../access/access.ts'
import { readSnapshot } from '../../db/read-snapshot.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { readInPages } from '../../http/send-pieces.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { readConnectors } from '../sync-connectors.ts'
import { findGrantDefinition, type GrantVersion, listGrants, readChatTitles } from '../tools/grant-store.ts'
import { endOf, presentLimits } from '../tools/match-grants.ts'
import { findPermission, listPermissions, type PermissionVersion } from '../tools/permission-store.ts'
import { listChanges } from '../tools/resolve-tool.ts'
import { findTool, listToolTitles, type ToolTitle } from '../tools/tool-store.ts'
import { writeListedId } from './grant-id.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'builtIns' | 'settings' | 'now'>

/** Grants that are presented at once. */
const maxPageGrants = 50
/** Characters of the definitions that one answer compares. Further grants are said to have changed, but not how. */
const maxComparedChars = 2_000_000

/** Lists what the bots of a user may do without asking, and what is blocked, page by page. */
export async function listAllGrants(deps: Deps, user: Actor): Promise<GrantList> {
  const connectors = await readConnectors(deps.database.db, user, deps.builtIns)
  return {
    grants: readInPages(presentEach(deps, user, connectors)),
    unlimited: connectors.flatMap(({ asks, name }) => (asks === 0 ? [name] : [])),
    max_hours: deps.settings.ceilings.maxGrantHours,
  }
}

/** A place on a list, or a grant with limits. */
type Allowance =
  | { readonly kind: 'listed'; readonly row: PermissionVersion }
  | { readonly kind: 'limited'; readonly row: GrantVersion }

async function* presentEach(
  deps: Deps,
  user: Actor,
  connectors: readonly ConnectorRow[],
): AsyncGenerator<readonly Grant[]> {
  const budget = { chars: maxComparedChars }
  for (const connector of connectors) {
    const { listed, limited } = await readSnapshot(deps.database, async ({ db }) => ({
      listed: await listPermissions(db, [connector.id]),
      limited: await listGrants(db, user, connector),
    }))
    const allowances: Allowance[] = [
      ...listed.map((row) => ({ kind: 'listed' as const, row })),
      ...limited.map((row) => ({ kind: 'limited' as const, row })),
    ]
    allowances.sort((a, b) => (a.row.name < b.row.name ? -1 : Number(a.row.name > b.row.name)))
    for (let at = 0; at < allowances.length; at += maxPageGrants)
      yield presentPage(deps, connector, allowances.slice(at, at + maxPageGrants), budget)
  }
}

/** Presents one grant of a connector. */
export async function presentGrant(deps: Deps, connector: ConnectorRow, row: GrantVersion): Promise<Grant> {
  const budget = { chars: maxComparedChars }
  const [grant] = await presentPage(deps, connector, [{ kind: 'limited', row }], budget)
  if (grant === undefined) throw new Error(`The grant ${row.id} is not presented.`)
  return grant
}

async function presentPage(
  deps: Deps,
  connector: ConnectorRow,
  page: readonly Allowance[],
  budget: Budget,
): Promise<Grant[]> {
  const { db } = deps.database
  const names = [...new Set(page.map(({ row }) => row.name))]
  const titles = new Map(
    (await listToolTitles(db, connector, names)).map((tool) => [tool.name, tool] as const),
  )
  const chats = await readChatTitles(
    db,
    ownerOf(connector),
    page.flatMap(({ row }) => ('chat_id' in row && row.chat_id !== null ? [row.chat_id] : [])),
  )
  const grants: Grant[] = []
  for (const allowance of page) {
    const tool = titles.get(allowance.row.name)
    const grant = present(deps, connector, allowance, { tool, chats })
    const changes =
      grant.ended === 'changed' && budget.chars > 0
        ? await readChanges(deps, connector, allowance, budget)
        : undefined
    grants.push(changes === undefined ? grant : { ...grant, changes })
  }
  return grants
}

/** The characters of definitions that may still be compared. */
interface Budget {
  chars: number
}

interface Context {
  readonly tool: ToolTitle | undefined
  readonly chats: ReadonlyMap<string, string | null>
}

function present(deps: Deps, connector: ConnectorRow, allowance: Allowance, { tool, chats }: Context): Grant {
  const { row } = allowance
  const { maxGrantMs } = deps.settings.ceilings
  const isListed = allowance.kind === 'listed'
  const permission = isListed ? allowance.row.permission : 'allow'
  const chatTitle = isListed ? null : (chats.get(allowance.row.chat_id ?? '') ?? null)
  const ended = permission === 'block' ? undefined : findEnd(deps, connector, allowance, tool)
  return {
    id: isListed ? writeListedId({ connectorId: connector.id, tool: row.name }) : allowance.row.id,
    permission,
    server: connector.name,
    url: connector.url,
    tool: row.name,
    title: tool?.title ?? null,
    limits: isListed ? {} : presentLimits(allowance.row, maxGrantMs),
    ...(chatTitle === null ? {} : { chat_title: chatTitle }),
    created_at: toTime(row.created_at === 0 ? null : row.created_at),
    used_at: toTime(row.used_at),
    uses: row.uses,
    ...(ended === undefined ? {} : { ended }),
  }
}

/** Finds why an allowance allows nothing any more: what the user cannot change first. */
function findEnd(
  { settings: { ceilings }, now }: Deps,
  connector: ConnectorRow,
  { row }: Allowance,
  tool: ToolTitle | undefined,
): Grant['ended'] {
  const rule = ceilings.ruleOf(connector, row.name)
  if (rule !== undefined) return rule === 'blocked' ? 'blocked_by_operator' : 'always_asks'
  const end = endOf({ ends_at: null, ...row }, ceilings.maxGrantMs)
  if (end !== null && end <= now()) return 'expired'
  // Without a list nobody knows which tools there are.
  if (tool === undefined) return connector.tools_expire_at === null ? undefined : 'gone'
  return row.fingerprint !== null && row.fingerprint !== tool.fingerprint ? 'changed' : undefined
}

async function readChanges(
  { database: { db } }: Deps,
  connector: ConnectorRow,
  { kind, row }: Allowance,
  budget: Budget,
): Promise<Grant['changes']> {
  const tool = await findTool(db, connector, row.name)
  const allowed =
    kind === 'listed'
      ? (await findPermission(db, connector, row.name))?.definition
      : await findGrantDefinition(db, ownerOf(connector), row.id)
  if (tool === undefined || !allowed) return undefined
  budget.chars -= allowed.length + tool.definition.length
  // Comparing large definitions takes milliseconds, and SQLite returns within the same turn of the event loop.
  await nextTurn()
  return listChanges(allowed, tool)
}

function toTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}
