/** §8.20; without a name where it is not known which connector it was. */
export function describeToggleFailure(name: string | undefined, reason: string): string {
  return name === undefined
    ? `Failed to toggle connector: ${reason}`
    : `Failed to toggle connector "${name}": ${reason}`
}
