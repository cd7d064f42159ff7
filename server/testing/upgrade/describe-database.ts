import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { listTables } from '../database/list-tables.ts'

/** The columns of each table. */
export type Columns = ReadonlyMap<string, readonly string[]>

/** Tables whose rows an upgrade may change: that of the migrations, those of the search index, and SQLite's own. */
const changing = /^migrations$|search|^sqlite_/

/** Lists the columns of all tables whose rows an upgrade keeps. */
export async function listColumns({ db, dialect }: Database): Promise<Columns> {
  const columns = new Map<string, readonly string[]>()
  for (const table of (await listTables({ db, dialect })).toSorted()) {
    if (changing.test(table)) continue
    const { rows } =
      dialect.kind === 'sqlite'
        ? await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
        : await sql<{ name: string }>`select column_name as name from information_schema.columns
            where table_schema = current_schema() and table_name = ${table}`.execute(db)
    columns.set(table, rows.map(({ name }) => name).toSorted())
  }
  return columns
}

/** Returns a hash of these columns of each table. */
export async function hashColumns(
  { db }: Database,
  columns: Columns,
): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {}
  for (const [table, names] of columns) {
    const { rows } = await sql<Record<string, unknown>>`select ${sql.join(
      names.map((name) => sql.ref(name)),
    )} from ${sql.table(table)}`.execute(db)
    const lines = rows.map((row) => JSON.stringify(row)).toSorted()
    hashes[table] = createHash('sha256').update(lines.join('\n')).digest('hex')
  }
  return hashes
}

/**
 * Describes tables, columns, indexes, constraints, triggers and functions in sorted lines, to compare an upgraded
 * database with a new one.
 */
export async function describeSchema({ db, dialect }: Database): Promise<readonly string[]> {
  const query = dialect.kind === 'sqlite' ? sqliteSchema : postgresSchema
  const { rows } = await query.execute(db)
  // SQLite keeps a statement as it was written, with or without quotation marks.
  const toLine = (text: string) => text.replace(/\s+/g, ' ').replaceAll('"', '').trim()
  return rows.map(({ line, schema }) => toLine(line).replaceAll(`${schema}.`, '')).toSorted()
}

interface SchemaRow {
  readonly line: string
  readonly schema: string
}

const sqliteSchema = sql<SchemaRow>`select 'main' as schema, line from (
  select 'column ' || concat_ws(' ', m.name, c.name, lower(c.type), c."notnull", c.dflt_value, c.pk) as line
    from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'
  union all select 'reference ' || concat_ws(' ', m.name, f."from", f."table", f."to", f.on_delete)
    from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'
  union all select 'index ' || concat_ws(' ', m.name, i."unique", i.origin, i.partial,
      (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)),
      iif(i.origin = 'c', (select sql from sqlite_master where name = i.name), ''))
    from sqlite_master m, pragma_index_list(m.name) i where m.type = 'table' and m.name not like 'sqlite_%'
  union all select concat_ws(' ', type, name, sql) from sqlite_master
    where type = 'trigger' or sql like 'create virtual table%' or type = 'view'
  union all select 'without rowid ' || name from sqlite_master where sql like '%without rowid')`

const postgresSchema = sql<SchemaRow>`select current_schema() as schema, line from (
  select concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default, is_generated,
      generation_expression) as line from information_schema.columns where table_schema = current_schema()
  union all select indexdef from pg_indexes where schemaname = current_schema()
  union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = current_schema()::regnamespace
  union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
  union all select concat_ws(' ', 'function', proname, prosrc) from pg_proc p
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')) as lines`
