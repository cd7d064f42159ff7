/**
 * Measures how long this process blocks its event loop. Only its own processor time counts, because the system may
 * pause the process on a busy machine.
 */
export function watchEventLoop(): { /** Returns the longest block in milliseconds. */ stop(): number } {
  const intervalMs = 10
  let longestMs = 0
  let wall = performance.now()
  let used = process.cpuUsage()
  const measure = (): void => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(used)
    longestMs = Math.max(longestMs, Math.min(now - wall - intervalMs, (user + system) / 1_000))
    wall = now
    used = process.cpuUsage()
  }
  const timer = setInterval(measure, intervalMs)
  return {
    stop() {
      clearInterval(timer)
      measure()
      return longestMs
    },
  }
}
