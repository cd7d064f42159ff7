import { continueText, denialText } from '@yonder/contract/message-text'

/**
 * The SQL condition for the messages of the table or alias `row` that are searched: finished ones that are not results
 * of tools, which are messages of the user with a `server`.
 */
export const searchableSql = (row: string): string =>
  `${row}.status <> 'streaming' and (${row}.server is null or ${row}.role = 'assistant')`

/** The SQL of the text of a message that is searched: what it says, and the names of its files. */
export const searchedSql = (row: string): string =>
  `(case when ${row}.file_names is null then ${row}.content else ${row}.content || '\n' || ${row}.file_names end)`

/** The SQL condition for those of them that a chat shows: it draws no text for a denial and for 'Continue'. */
export const shownSql = (row: string): string =>
  `not (${row}.role = 'user' and ${row}.content in ('${denialText}', '${continueText}') and exists (
    select 1 from messages parent where parent.chat_id = ${row}.chat_id and parent.id = ${row}.parent_id
      and (parent.call_state = 'denied' or parent.finish = 'length')))`
