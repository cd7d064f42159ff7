/**
 * Watches for stretches in which this process computes without giving way. Only its own processor time counts: on a busy
 * machine it may stand still without having done anything wrong.
 */
export function watchEventLoop(): { /** Milliseconds of the longest stretch. */ stop(): number } {
  const interval = 10
  let longest = 0
  let wall = performance.now()
  let used = process.cpuUsage()
  const look = (): void => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(used)
    longest = Math.max(longest, Math.min(now - wall - interval, (user + system) / 1_000))
    wall = now
    used = process.cpuUsage()
  }
  const timer = setInterval(look, interval)
  return {
    stop() {
      clearInterval(timer)
      look()
      return longest
    },
  }
}
