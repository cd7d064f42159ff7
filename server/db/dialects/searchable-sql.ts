/**
 * The SQL condition for the messages of the table or alias `row` that are searched: finished ones that are not results
 * of tools, which are messages of the user with a `server`.
 */
export const searchableSql = (row: string): string =>
  `${row}.status <> 'streaming' and (${row}.server is null or ${row}.role = 'assistant')`
