/**
 * Starts to measure the CPU time of this process; the returned function returns it in milliseconds. Unlike the elapsed
 * time, it does not depend on other processes.
 */
export function measureCpuTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
