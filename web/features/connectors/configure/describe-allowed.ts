/** The heading of the allowed tools (§2.69); null is a connector whose tools all run. */
export function describeAllowed(names: readonly string[] | null): string {
  return `Allowed Tools (${names === null ? 'all' : names.length})`
}
