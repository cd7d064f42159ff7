/**
 * Starts counting this process's own work; the returned function returns it in milliseconds. On a busy machine the clock counts
 * what others do as well.
 */
export function measureWork(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
