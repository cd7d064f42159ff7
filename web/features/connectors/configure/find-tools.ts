import type { ConnectorTool } from '@yonder/contract/connector'
import { cutText } from '@yonder/contract/message-text'

const mostResults = 10
const maxDescriptionChars = 80

/** The tools not allowed yet in whose name or description the words of a search occur, ten at most (§2.70, §9.8). */
export function findTools(
  tools: readonly ConnectorTool[],
  allowed: readonly string[],
  search: string,
): readonly ConnectorTool[] {
  const wanted = search.trim().toLowerCase()
  const taken = new Set(allowed)
  return tools
    .filter(
      ({ name, description }) =>
        !taken.has(name) &&
        (name.toLowerCase().includes(wanted) || description.toLowerCase().includes(wanted)),
    )
    .slice(0, mostResults)
}

/** The beginning of a description, for a line in the results (§2.70). */
export function cutDescription(description: string): string {
  const { text, isCut } = cutText(description, maxDescriptionChars)
  return isCut ? `${text}...` : text
}
