/**
 * The condition of `ofUser` as text, for a statement with the parameter `@userId`. A file of its own, so that the
 * thread that searches does not load Kysely.
 */
export function ofUserSql(table: string): string {
  return `${table}.user_id = @userId`
}

/** The condition for chats that the user may read, as `readable` returns it. */
export function readableChatSql(table: string): string {
  return `${ofUserSql(table)} and ${table}.deleted_at is null`
}
