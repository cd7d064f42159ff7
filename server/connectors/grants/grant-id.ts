/** A place on the list of allowed or of blocked tools of a connector. */
interface ListedTool {
  readonly connectorId: string
  readonly tool: string
}

const prefix = 'list'

/** Writes the id of a place on a list, as of a grant. */
export function writeListedId({ connectorId, tool }: ListedTool): string {
  return [prefix, connectorId, Buffer.from(tool).toString('base64url')].join('.')
}

/** Reads such an id. Returns undefined for every other text, and so for the id of a grant with limits. */
export function readListedId(id: string): ListedTool | undefined {
  const [, connectorId, encoded] = /^list\.(.+)\.([\w-]+)$/.exec(id) ?? []
  if (connectorId === undefined || encoded === undefined) return undefined
  return { connectorId, tool: Buffer.from(encoded, 'base64url').toString() }
}
