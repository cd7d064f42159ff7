/**
 * Measures how long this process blocks its event loop. Only its own processor time counts, because on a busy machine the
 * process may be paused by the system.
 */
export function watchEventLoop(): { /** The longest stretch in milliseconds. */ stop(): number } {
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
