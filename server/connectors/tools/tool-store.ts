import { parseJsonExactly } from '@yonder/contract/lib/exact-json'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { hashJson } from '../../lib/canonical-json.ts'
import type { JsonObject } from '../../lib/json-object.ts'

/** A server's description of a tool: everything that a user relies on when allowing the tool. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
  readonly annotations: JsonObject | null
}

/** Returns a hash of the whole definition and the connector's address. */
export function fingerprintTool(tool: ToolDefinition, url: string): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return hashJson([name, title, description, inputSchema, outputSchema, annotations, url])
}

/** Parses a stored definition. It was checked before it was stored. */
export function parseDefinition(stored: string): ToolDefinition {
  return parseJsonExactly(stored) as ToolDefinition
}

/** Returns the tools of these connectors, in the order of their servers' lists. */
export function listTools(db: Db, connectorIds: readonly string[]): Promise<ConnectorToolRow[]> {
  if (connectorIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('connector_tools')
    .selectAll()
    .where('connector_id', 'in', connectorIds)
    .orderBy('position')
    .execute()
}

/** A stored tool without its definition. */
export type ToolVersion = Omit<ConnectorToolRow, 'definition'>

/** As `listTools`, without the definitions, which can have megabytes. */
export function listToolVersions(db: Db, connectorIds: readonly string[]): Promise<ToolVersion[]> {
  if (connectorIds.length === 0) return Promise.resolve([])
  return selectVersions(db).where('connector_id', 'in', connectorIds).orderBy('position').execute()
}

/** A stored tool as users see it in a list. */
export type ToolHead = ToolVersion & Pick<ToolDefinition, 'title' | 'description'>

/**
 * Characters of a definition up to its schemas: name, title and description are limited (`read-tools.ts`), and JSON
 * writes no character of them with more than two.
 */
const maxHeadChars = 10_000
const headPattern =
  /^\{"name":"(?:[^"\\]|\\.)*","title":(?:null|"(?:[^"\\]|\\.)*"),"description":"(?:[^"\\]|\\.)*"(?=,)/

/** Tools of one query: their definitions can have 100 kB each, and the beginnings that are returned 10 kB. */
const maxPageTools = 25

/** Reads the tools of a connector in pages, in the order of its server's list. Their schemas are not read. */
export async function* readToolHeads(
  db: Db,
  connector: Pick<ConnectorRow, 'id'>,
): AsyncGenerator<readonly ToolHead[]> {
  for (let after = -1, isLast = false; !isLast;) {
    const rows = await selectVersions(db)
      .select(({ fn, lit, ref, val }) =>
        fn<string>('substr', [ref('definition'), lit(1), val(maxHeadChars)]).as('head'),
      )
      .where('connector_id', '=', connector.id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(maxPageTools)
      .execute()
    yield Promise.all(
      rows.map(async ({ head, ...version }) => {
        const [known] = headPattern.exec(head) ?? []
        const { title, description } = parseDefinition(
          known === undefined ? await readDefinition(db, version) : `${known}}`,
        )
        return { ...version, title, description }
      }),
    )
    after = rows.at(-1)?.position ?? after
    isLast = rows.length < maxPageTools
  }
}

/** A stored tool by the title of its definition. */
export type ToolTitle = Pick<ConnectorToolRow, 'name' | 'fingerprint'> & Pick<ToolDefinition, 'title'>

/** Characters of a definition up to its description, which are limited like `maxHeadChars`. */
const maxTitleHeadChars = 2_000
/** What follows the title. In a text, the quotes would be escaped. */
const afterTitle = ',"description":'

/** Returns those of a connector's tools that have one of these names. */
export async function listToolTitles(
  db: Db,
  connector: Pick<ConnectorRow, 'id'>,
  names: readonly string[],
): Promise<ToolTitle[]> {
  if (names.length === 0) return []
  const rows = await db
    .selectFrom('connector_tools')
    .select(['name', 'fingerprint'])
    .select(({ fn, lit, ref, val }) =>
      fn<string>('substr', [ref('definition'), lit(1), val(maxTitleHeadChars)]).as('head'),
    )
    .where('connector_id', '=', connector.id)
    .where('name', 'in', names)
    .execute()
  return rows.map(({ head, ...tool }) => {
    const end = head.indexOf(afterTitle)
    const { title }: Partial<ToolDefinition> = end === -1 ? {} : parseDefinition(`${head.slice(0, end)}}`)
    return { ...tool, title: title ?? null }
  })
}

function selectVersions(db: Db) {
  return db
    .selectFrom('connector_tools')
    .select(['connector_id', 'name', 'position', 'fingerprint', 'problem'])
}

async function readDefinition(db: Db, { connector_id, name }: ToolVersion): Promise<string> {
  const tool = await findTool(db, { id: connector_id }, name)
  return tool?.definition ?? '{"title":null,"description":""}'
}

export function findTool(
  db: Db,
  connector: Pick<ConnectorRow, 'id'>,
  name: string,
): Promise<ConnectorToolRow | undefined> {
  return db
    .selectFrom('connector_tools')
    .selectAll()
    .where('connector_id', '=', connector.id)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** Replaces a connector's tools, in the caller's transaction. */
export async function replaceTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  tools: readonly ConnectorToolRow[],
): Promise<void> {
  await trx.deleteFrom('connector_tools').where('connector_id', '=', connector.id).execute()
  if (tools.length > 0) await trx.insertInto('connector_tools').values(tools).execute()
}
